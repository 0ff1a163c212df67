//! Declarations of `vload_half` and `vstore_half` for devices without
//! `cl_khr_fp16`.
//!
//! Loading and storing halves as `float` is core since OpenCL C 1.0 (section
//! 6.15.8 of the 3.0 specification); `cl_khr_fp16` only adds arithmetic. clang
//! declares both families under the extension alone, and switching the
//! extension on would let half arithmetic pass that the device refuses. So the
//! core functions are declared here, overloadable, which gives them the mangled
//! names that the translator knows.

use std::ffi::OsString;
use std::path::Path;

use super::Options;
use crate::error::FrontendError;

/// Name of the header in the folder of a compilation.
const HEADER: &str = "tilewise_half.h";

/// The extension under which clang declares the functions itself.
const EXTENSION: &str = "cl_khr_fp16";

const TEXT: &str = "\
#define TILEWISE_OVL __attribute__((overloadable))
#define TILEWISE_LOAD(N, T, P) T TILEWISE_OVL __attribute__((pure)) N(size_t, const P half *);
#define TILEWISE_STORE(N, T, P) \\
  void TILEWISE_OVL N(T, size_t, P half *); \\
  void TILEWISE_OVL N##_rte(T, size_t, P half *); \\
  void TILEWISE_OVL N##_rtz(T, size_t, P half *); \\
  void TILEWISE_OVL N##_rtp(T, size_t, P half *); \\
  void TILEWISE_OVL N##_rtn(T, size_t, P half *);
#define TILEWISE_LOADS(P) \\
  TILEWISE_LOAD(vload_half, float, P) \\
  TILEWISE_LOAD(vload_half2, float2, P) TILEWISE_LOAD(vloada_half2, float2, P) \\
  TILEWISE_LOAD(vload_half3, float3, P) TILEWISE_LOAD(vloada_half3, float3, P) \\
  TILEWISE_LOAD(vload_half4, float4, P) TILEWISE_LOAD(vloada_half4, float4, P) \\
  TILEWISE_LOAD(vload_half8, float8, P) TILEWISE_LOAD(vloada_half8, float8, P) \\
  TILEWISE_LOAD(vload_half16, float16, P) TILEWISE_LOAD(vloada_half16, float16, P)
#define TILEWISE_STORES(T, P) \\
  TILEWISE_STORE(vstore_half, T, P) \\
  TILEWISE_STORE(vstore_half2, T##2, P) TILEWISE_STORE(vstorea_half2, T##2, P) \\
  TILEWISE_STORE(vstore_half3, T##3, P) TILEWISE_STORE(vstorea_half3, T##3, P) \\
  TILEWISE_STORE(vstore_half4, T##4, P) TILEWISE_STORE(vstorea_half4, T##4, P) \\
  TILEWISE_STORE(vstore_half8, T##8, P) TILEWISE_STORE(vstorea_half8, T##8, P) \\
  TILEWISE_STORE(vstore_half16, T##16, P) TILEWISE_STORE(vstorea_half16, T##16, P)
#ifdef cl_khr_fp64
#define TILEWISE_ALL(P) TILEWISE_LOADS(P) TILEWISE_STORES(float, P) TILEWISE_STORES(double, P)
#else
#define TILEWISE_ALL(P) TILEWISE_LOADS(P) TILEWISE_STORES(float, P)
#endif
TILEWISE_LOADS(__constant)
TILEWISE_ALL(__global)
TILEWISE_ALL(__local)
TILEWISE_ALL(__private)
#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space)
TILEWISE_ALL(__generic)
#endif
";

/// Puts the header into the folder of a compilation, where its device needs it.
///
/// # Errors
/// [`FrontendError::Io`].
pub(crate) fn write(options: &Options, folder: &Path) -> Result<(), FrontendError> {
    if !is_needed(options) {
        return Ok(());
    }
    let path = folder.join(HEADER);
    std::fs::write(&path, TEXT).map_err(|source| FrontendError::Io {
        action: format!("write {}", path.display()),
        source,
    })
}

/// The flags that include the header. `text` is what is compiled, where it is
/// known: most sources use none of the functions, and are spared them.
pub(crate) fn flags(options: &Options, text: Option<&str>) -> Vec<OsString> {
    if is_needed(options) && text.is_none_or(|t| t.contains("_half")) {
        vec!["-include".into(), HEADER.into()]
    } else {
        Vec::new()
    }
}

fn is_needed(options: &Options) -> bool {
    let list = options.extensions.as_ref();
    list.is_some_and(|all| all.iter().all(|e| e != EXTENSION))
}
