#!/bin/sh
# Makes numbers, sorts them, and looks at what came out.
set -e
lanesort gen uniform:f32:1000000:seed=7 -o floats.npy
lanesort sort floats.npy -o sorted.npy
lanesort verify floats.npy sorted.npy
lanesort argsort floats.npy -r -o order.npy                      # which item goes where, largest first
lanesort topk floats.npy -k 3 -o best.npy --indices places.npy   # the largest three, and where they stand
printf '10\n9\n-1e3\n' | lanesort                                # text: -1e3 9 10
