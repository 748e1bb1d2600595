#!/bin/sh
# site.sh SOURCE_DIR: the whole site, where ./run test got what makes it. MkDocs and Doxygen fail on their own warnings.
cd "$1" || exit 1
[ -e build/deps/docs/complete ] || { echo "MkDocs and Doxygen are not here: ./run test gets them"; exit 77; }
./run docs && [ -s build/docs/site/engines.html ] && [ -s build/docs/site/api/lanesort_8h.html ] && [ -s build/docs/site/images/engine-pass.svg ]
