// SPDX-License-Identifier: Apache-2.0
// The ACL runtime by the name of its own header.
#pragma once
#include "acl/acl.h"
