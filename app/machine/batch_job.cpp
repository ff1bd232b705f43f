#include "app/machine/batch_job.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "physics/host/processors.hpp"

namespace mpcflow {

namespace {

std::optional<int> whole_number(const std::optional<std::string>& text) {
    if (!text) return {};
    int value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < 1) return {};
    return value;
}

}  // namespace

BatchJob find_batch_job(const ReadVariable& variable) {
    BatchJob job;
    if (const auto id = variable("SLURM_JOB_ID")) {
        job = {"slurm", *id, whole_number(variable("SLURM_CPUS_PER_TASK")), ""};
        const auto array = variable("SLURM_ARRAY_JOB_ID");
        const auto task = variable("SLURM_ARRAY_TASK_ID");
        if (array && task) {
            job.id = *array + "_" + *task;
            job.array_task = *task;
        }
    } else if (const auto pbs = variable("PBS_JOBID")) {
        job = {"pbs", *pbs, whole_number(variable("NCPUS")), variable("PBS_ARRAY_INDEX").value_or("")};
    }
    return job;
}

BatchJob find_batch_job() {
    return find_batch_job([](const char* name) -> std::optional<std::string> {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') return {};
        return value;
    });
}

int automatic_threads(const BatchJob& job) {
    const int processors = available_processors();
    return job.cpus ? std::min(processors, *job.cpus) : processors;
}

}  // namespace mpcflow
