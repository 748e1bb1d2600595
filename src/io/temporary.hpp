// Names of temporary files that are on the disk right now, where a signal handler can find and remove them.
#pragma once
#include <string>

namespace lanesort::io::temporaries {

// Makes a new file in the directory, opens it for writing and lists it. On failure *fd is -1 and errno says why.
std::string create(const std::string& directory, int* fd);

// Gives the nameless file behind the path a name in the directory, and lists it. Empty on failure, errno says why.
std::string link(const std::string& directory, const std::string& path);

void remove(const std::string& name);  // from the disk and the list
void forget(const std::string& name);  // from the list: it has become the user's file

}  // namespace lanesort::io::temporaries
