//! Tells the code which Python it is built for: `direct` checks whether threads share a lock
//! (`Py_GIL_DISABLED`).

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
