"""mpcflow for Spack 1.0 and later; docs/install.md says how this repository is added."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Mpcflow(CMakePackage, CudaPackage):
    """Multiparticle collision dynamics (MPC, MPCD, SRD): fluids of point particles on CPUs and GPUs."""

    git = str(Path(__file__).resolve().parents[6])  # the checkout that this recipe lies in

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("tools", default=True, description="Tools that watch, analyse, draw, convert and submit runs")
    variant("mpi", default=False, description="Runs on several processes")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("git", type="build")
    depends_on("python@3.10:", type="build")
    depends_on("hdf5@1.10:+hl~mpi")
    depends_on("yaml-cpp@0.7:")
    depends_on("cli11@2:")
    depends_on("fmt@9:")
    depends_on("cuda@12:", when="+cuda")
    depends_on("mpi@3:", when="+mpi")
    for module in ("py-h5py", "py-matplotlib", "py-numpy", "py-pyyaml"):
        depends_on(module, type=("build", "run"), when="+tools")

    conflicts("%gcc@:11", msg="mpcflow is C++20")

    def cmake_args(self):
        args = [
            self.define_from_variant("MPCFLOW_CUDA", "cuda"),
            self.define_from_variant("MPCFLOW_MPI", "mpi"),
            self.define("BUILD_TESTING", False),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            if architectures[0] == "none":
                args.append(self.define("MPCFLOW_GPUS", "all"))
            else:
                args.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return args

    def setup_run_environment(self, env):
        if self.spec.satisfies("+tools"):
            env.prepend_path("PYTHONPATH", self.prefix.lib.join("python3").join("dist-packages"))

    def test_devices(self):
        """tell what the machine can run on"""
        mpcflow = which(self.prefix.bin.mpcflow)
        mpcflow("devices")
