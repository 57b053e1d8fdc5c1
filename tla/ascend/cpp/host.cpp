static void Put(uint8_t** device, size_t bytes, const void* host)
{
    ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(device), bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_CHECK(aclrtMemcpy(*device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
}

// Memory of the device: zeros, or what a file has.
static void Load(uint8_t** device, size_t bytes, const std::string& file)
{
    std::vector<uint8_t> host(bytes);
    if (!file.empty() && !ReadFile(file, host.data(), bytes)) {
        std::exit(1);
    }
    Put(device, bytes, host.data());
}

static void Save(const uint8_t* device, size_t bytes, const std::string& file)
{
    std::vector<char> host(bytes);
    ACL_CHECK(aclrtMemcpy(host.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    std::ofstream(file, std::ios::binary).write(host.data(), bytes);
}

// The argument is the folder of the files; without it the inputs are zeros, and no file is written.
int main(int argc, const char** argv)
{
    const std::string folder = argc > 1 ? std::string(argv[1]) + "/" : "";
    auto file = [&](const char* name) { return folder.empty() ? folder : folder + name; };
    aclrtStream stream{nullptr};
    ACL_CHECK(aclInit(nullptr));
    ACL_CHECK(aclrtSetDevice(0));
    ACL_CHECK(aclrtCreateStream(&stream));
    uint64_t hardwareSyncAddr{0};
    ACL_CHECK(aclrtGetHardwareSyncAddr(reinterpret_cast<void**>(&hardwareSyncAddr)));
    auto platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    // LAUNCH
    ACL_CHECK(aclrtDestroyStream(stream));
    ACL_CHECK(aclrtResetDevice(0));
    ACL_CHECK(aclFinalize());
    return 0;
}
