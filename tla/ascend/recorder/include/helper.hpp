// SPDX-License-Identifier: Apache-2.0
// The helpers of CATLASS's examples, but a data file that is missing holds zeros: a trace needs no values.
#pragma once
#include "kernel_operator.h"
#define ReadFile ReadFileOfCatlass
#include_next <helper.hpp>
#undef ReadFile

inline bool ReadFile(const std::string& path, void* buffer, size_t bytes) {
    if (FILE* file = fopen(path.c_str(), "rb")) {
        fclose(file);
        return ReadFileOfCatlass(path, buffer, bytes);
    }
    memset(buffer, 0, bytes);
    tla_recorder::missing_files.push_back(path);
    return true;
}
