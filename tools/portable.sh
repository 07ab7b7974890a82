#!/bin/sh
# As RUSTC_WORKSPACE_WRAPPER: our crates as other architectures compile them; dependencies are those of any other build.
exec "$@" --cfg dtau_portable
