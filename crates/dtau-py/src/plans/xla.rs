//! XLA's typed foreign-function interface: a compiled JAX program calls us without Python and its lock.
//!
//! The structs are those of `xla/ffi/api/c_api.h` (major version 0), as far as we read them. A test compares
//! sizes and field offsets with the header that JAX installs. Minor versions only append fields. Every struct
//! has its length, and structs shorter than the part we read are refused.
//!
//! `unsafe` is needed to read what XLA passes. Assumptions: the pointers are as the header states, XLA keeps
//! arguments, results and attributes until the handler returns, and nothing else accesses the results during
//! the call.
#![allow(unsafe_code)]

use super::{Planned, run};
use crate::arrays::MOST;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

/// Attribute of a call that has the number of its plan.
const ATTRIBUTE: &[u8] = b"plan";

const MAJOR: c_int = 0;
const METADATA: c_int = 1;
const EXECUTE: c_int = 3;
const BUFFER: c_int = 1;
const SCALAR: c_int = 3;
const S64: c_int = 5;
const F32: c_int = 11;
const F64: c_int = 12;
const INVALID_ARGUMENT: c_int = 3;

#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: c_int,
    next: *mut Extension,
}

#[repr(C)]
struct Version {
    struct_size: usize,
    extension: *mut Extension,
    major: c_int,
    minor: c_int,
}

/// Beginning of `XLA_FFI_Metadata`, which we write.
#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct ErrorArguments {
    struct_size: usize,
    extension: *mut Extension,
    message: *const c_char,
    code: c_int,
}

/// Beginning of `XLA_FFI_Api`.
#[repr(C)]
struct Api {
    struct_size: usize,
    extension: *mut Extension,
    version: Version,
    internal: *const c_void,
    create_error: Option<unsafe extern "C" fn(*mut ErrorArguments) -> *mut c_void>,
}

#[repr(C)]
struct Buffer {
    struct_size: usize,
    extension: *mut Extension,
    dtype: c_int,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

/// `XLA_FFI_Args` and `XLA_FFI_Rets`, which have the same layout.
#[repr(C)]
struct Buffers {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    kinds: *const c_int,
    each: *const *mut c_void,
}

#[repr(C)]
struct Span {
    start: *const u8,
    length: usize,
}

#[repr(C)]
struct Scalar {
    dtype: c_int,
    value: *const c_void,
}

#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension: *mut Extension,
    size: i64,
    kinds: *const c_int,
    names: *const *const Span,
    each: *const *const c_void,
}

/// Beginning of `XLA_FFI_CallFrame`.
#[repr(C)]
pub(crate) struct CallFrame {
    struct_size: usize,
    extension: *mut Extension,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    arguments: Buffers,
    results: Buffers,
    attributes: Attributes,
}

/// `XLA_FFI_Handler`: a null pointer means no error.
pub(crate) type Handler = unsafe extern "C" fn(*mut CallFrame) -> *mut c_void;

/// Function that XLA calls, once to ask for the interface version, then for every computation.
///
/// # Safety
/// `frame` is null, or a frame that XLA passes to a handler.
pub(crate) unsafe extern "C" fn handle(frame: *mut CallFrame) -> *mut c_void {
    // SAFETY: XLA's own frame, which it keeps unchanged until we return.
    let Some(frame) = (unsafe { frame.as_ref() }) else { return ptr::null_mut() };
    // Unwinding into C++ is not allowed.
    let done = catch_unwind(AssertUnwindSafe(|| answer(frame)));
    match done.unwrap_or_else(|_| Err("a panic; this is a mistake in dtau".into())) {
        Ok(()) => ptr::null_mut(),
        Err(message) => fail(frame, &message),
    }
}

fn answer(frame: &CallFrame) -> Result<(), String> {
    is_long_enough::<CallFrame>("XLA_FFI_CallFrame", frame.struct_size)?;
    // SAFETY: null, or an extension of the frame.
    if let Some(extension) = unsafe { frame.extension.as_ref() }
        && extension.kind == METADATA
    {
        return tell_version(frame);
    }
    if frame.stage != EXECUTE {
        return Ok(());
    }
    let number = plan_number(&frame.attributes)?;
    match first_dtype(&frame.results)? {
        F64 => execute::<f64>(frame, number, F64),
        F32 => execute::<f32>(frame, number, F32),
        other => Err(format!("the results have XLA's type {other}; they must be float64 or float32")),
    }
}

/// Answers with the runtime's own version: within a major version, the fields we read do not change.
fn tell_version(frame: &CallFrame) -> Result<(), String> {
    // SAFETY: the API that XLA passes, if any. It begins with a version.
    let minor = match unsafe { frame.api.as_ref() } {
        Some(api) if api.version.major == MAJOR => api.version.minor,
        Some(api) => {
            let Version { major, minor, .. } = api.version;
            return Err(format!(
                "this XLA has version {major}.{minor} of its interface; dtau knows major version {MAJOR}"
            ));
        }
        None => return Err("XLA tells no version of its interface".into()),
    };
    // SAFETY: the kind gives the type of the extension.
    let extension = unsafe { &*frame.extension.cast::<MetadataExtension>() };
    is_long_enough::<MetadataExtension>("XLA_FFI_Metadata_Extension", extension.base.struct_size)?;
    // SAFETY: the struct that XLA wants filled in. Nothing else accesses it.
    let Some(metadata) = (unsafe { extension.metadata.as_mut() }) else { return Ok(()) };
    let known = offset_of!(Metadata, traits) + size_of::<u32>();
    if metadata.struct_size < known {
        return Err(too_short("XLA_FFI_Metadata", metadata.struct_size, known));
    }
    metadata.version = Version { struct_size: size_of::<Version>(), extension: ptr::null_mut(), major: MAJOR, minor };
    metadata.traits = 0;
    Ok(())
}

fn execute<F: Planned>(frame: &CallFrame, number: i64, dtype: c_int) -> Result<(), String> {
    let (mut x, mut y): ([&[F]; MOST + 1], [&mut [F]; MOST]) = Default::default();
    let (reads, writes) = (count(&frame.arguments, x.len())?, count(&frame.results, y.len())?);
    for (k, x) in x[..reads].iter_mut().enumerate() {
        let (start, length) = numbers::<F>(&frame.arguments, k, dtype)?;
        if length > 0 {
            // SAFETY: an aligned buffer of `length` numbers. XLA keeps it unchanged until we return.
            *x = unsafe { slice::from_raw_parts(start, length) };
        }
    }
    for k in 0..writes {
        let (start, length) = numbers::<F>(&frame.results, k, dtype)?;
        let own = start as usize..start as usize + size_of::<F>() * length;
        let mut others = x[..reads].iter().map(|x| x.as_ptr_range()).chain(y[..k].iter().map(|y| y.as_ptr_range()));
        if length > 0 {
            if others.any(|other| own.start < other.end as usize && (other.start as usize) < own.end) {
                return Err("a result lies over another array".into());
            }
            // SAFETY: as above, and we may write to it: it does not overlap with another slice.
            y[k] = unsafe { slice::from_raw_parts_mut(start, length) };
        }
    }
    run(number, &x[..reads], &mut y[..writes])
}

/// Returns the number of arrays.
fn count(buffers: &Buffers, most: usize) -> Result<usize, String> {
    is_long_enough::<Buffers>("XLA_FFI_Args or XLA_FFI_Rets", buffers.struct_size)?;
    usize::try_from(buffers.size).ok().filter(|&size| size <= most).ok_or_else(|| "these are too many arrays".into())
}

/// Returns one of the arrays. `k` is less than their number.
fn buffer(buffers: &Buffers, k: usize) -> Result<&Buffer, String> {
    // SAFETY: there are `size` kinds and pointers, and `k` is less than `size`.
    let (kind, each) = unsafe { (*buffers.kinds.add(k), (*buffers.each.add(k)).cast::<Buffer>()) };
    // SAFETY: the kind gives the type of the target.
    let buffer = if kind == BUFFER { unsafe { each.as_ref() } } else { None };
    let buffer = buffer.ok_or("an argument is not an array")?;
    is_long_enough::<Buffer>("XLA_FFI_Buffer", buffer.struct_size)?;
    Ok(buffer)
}

fn first_dtype(results: &Buffers) -> Result<c_int, String> {
    if count(results, MOST)? == 0 { Ok(F64) } else { buffer(results, 0).map(|buffer| buffer.dtype) }
}

/// Returns the address and the count of an array's numbers.
fn numbers<F>(buffers: &Buffers, k: usize, dtype: c_int) -> Result<(*mut F, usize), String> {
    let buffer = buffer(buffers, k)?;
    if buffer.dtype != dtype {
        return Err(format!("arrays of XLA's types {dtype} and {} do not go together", buffer.dtype));
    }
    let rank = usize::try_from(buffer.rank).map_err(|_| "an array has a negative number of axes")?;
    // SAFETY: there are `rank` lengths. The pointer may be null if there are none.
    let dims = if rank == 0 { &[][..] } else { unsafe { slice::from_raw_parts(buffer.dims, rank) } };
    let length = dims.iter().try_fold(1_usize, |product, &n| product.checked_mul(usize::try_from(n).ok()?));
    let length =
        length.filter(|length| length.checked_mul(size_of::<F>()).is_some_and(|bytes| bytes < isize::MAX as usize));
    let length = length.ok_or("an array is larger than memory")?;
    let start = buffer.data.cast::<F>();
    if length > 0 && (start.is_null() || !start.is_aligned()) {
        return Err("an array is not aligned to its numbers".into());
    }
    Ok((start, length))
}

/// Reads the attribute with the plan's number.
fn plan_number(attributes: &Attributes) -> Result<i64, String> {
    is_long_enough::<Attributes>("XLA_FFI_Attrs", attributes.struct_size)?;
    for k in 0..usize::try_from(attributes.size).unwrap_or(0) {
        // SAFETY: there are `size` names, kinds and pointers. A name has the given number of bytes.
        let (name, kind, each) = unsafe {
            let name = &**attributes.names.add(k);
            (slice::from_raw_parts(name.start, name.length), *attributes.kinds.add(k), *attributes.each.add(k))
        };
        if name == ATTRIBUTE && kind == SCALAR {
            // SAFETY: the kind gives the type of the target.
            let scalar = unsafe { &*each.cast::<Scalar>() };
            if scalar.dtype == S64 && !scalar.value.is_null() {
                // SAFETY: the data type gives the type of the target.
                return Ok(unsafe { scalar.value.cast::<i64>().read_unaligned() });
            }
        }
    }
    Err("the attribute `plan`, an int64, is missing".into())
}

/// Makes an XLA error.
#[cold]
fn fail(frame: &CallFrame, message: &str) -> *mut c_void {
    let text = CString::new(format!("dtau: {}", message.replace('\0', " "))).unwrap_or_default();
    let mut arguments = ErrorArguments {
        struct_size: offset_of!(ErrorArguments, code) + size_of::<c_int>(),
        extension: ptr::null_mut(),
        message: text.as_ptr(),
        code: INVALID_ARGUMENT,
    };
    // SAFETY: the API that XLA passes, of the stated length. It copies the message.
    unsafe {
        let api = frame.api.as_ref().filter(|api| api.struct_size >= size_of::<Api>());
        api.and_then(|api| api.create_error).map_or(ptr::null_mut(), |create| create(&mut arguments))
    }
}

fn is_long_enough<T>(name: &str, length: usize) -> Result<(), String> {
    let known = size_of::<T>(); // the structs end with a pointer, so there is no trailing padding
    if length >= known { Ok(()) } else { Err(too_short(name, length, known)) }
}

#[cold]
fn too_short(name: &str, length: usize, known: usize) -> String {
    format!("this XLA's {name} has {length} bytes, less than the {known} that dtau knows; take a newer jaxlib")
}

/// Makes a capsule with a handler.
pub(super) fn capsule(py: Python<'_>, handler: Handler) -> PyResult<Bound<'_, PyCapsule>> {
    // SAFETY: the pointer to a function stays valid, and users of the capsule know its type.
    unsafe {
        PyCapsule::new_with_pointer(
            py,
            ptr::NonNull::new(handler as *mut c_void).expect("a function"),
            c"xla._CUSTOM_CALL_TARGET",
        )
    }
}

/// Sizes of structs and offsets of fields, by their names in the header.
pub(super) fn layout() -> Vec<(&'static str, usize)> {
    macro_rules! places {
        ($($type:ident as $name:literal: $($field:ident as $theirs:literal),+;)+) => {
            vec![$($((concat!($name, ".", $theirs), offset_of!($type, $field)),)+)+]
        };
    }
    let mut all = places! {
        Extension as "XLA_FFI_Extension_Base": struct_size as "struct_size", kind as "type", next as "next";
        Version as "XLA_FFI_Api_Version": struct_size as "struct_size", extension as "extension_start", major as "major_version", minor as "minor_version";
        Metadata as "XLA_FFI_Metadata": struct_size as "struct_size", version as "api_version", traits as "traits";
        MetadataExtension as "XLA_FFI_Metadata_Extension": base as "extension_base", metadata as "metadata";
        ErrorArguments as "XLA_FFI_Error_Create_Args": struct_size as "struct_size", extension as "extension_start", message as "message", code as "errc";
        Api as "XLA_FFI_Api": struct_size as "struct_size", extension as "extension_start", version as "api_version", internal as "internal_api", create_error as "XLA_FFI_Error_Create";
        Buffer as "XLA_FFI_Buffer": struct_size as "struct_size", extension as "extension_start", dtype as "dtype", data as "data", rank as "rank", dims as "dims";
        Buffers as "XLA_FFI_Args": struct_size as "struct_size", extension as "extension_start", size as "size", kinds as "types", each as "args";
        Buffers as "XLA_FFI_Rets": struct_size as "struct_size", extension as "extension_start", size as "size", kinds as "types", each as "rets";
        Span as "XLA_FFI_ByteSpan": start as "ptr", length as "len";
        Scalar as "XLA_FFI_Scalar": dtype as "dtype", value as "value";
        Attributes as "XLA_FFI_Attrs": struct_size as "struct_size", extension as "extension_start", size as "size", kinds as "types", names as "names", each as "attrs";
        CallFrame as "XLA_FFI_CallFrame": struct_size as "struct_size", extension as "extension_start", api as "api", context as "ctx", stage as "stage", arguments as "args", results as "rets", attributes as "attrs";
    };
    // Structs that are read whole, or embedded in others.
    all.extend([
        ("sizeof XLA_FFI_Extension_Base", size_of::<Extension>()),
        ("sizeof XLA_FFI_Api_Version", size_of::<Version>()),
        ("sizeof XLA_FFI_Error_Create_Args", size_of::<ErrorArguments>()),
        ("sizeof XLA_FFI_Buffer", size_of::<Buffer>()),
        ("sizeof XLA_FFI_Args", size_of::<Buffers>()),
        ("sizeof XLA_FFI_Rets", size_of::<Buffers>()),
        ("sizeof XLA_FFI_Attrs", size_of::<Attributes>()),
        ("sizeof XLA_FFI_ByteSpan", size_of::<Span>()),
        ("sizeof XLA_FFI_Scalar", size_of::<Scalar>()),
        ("XLA_FFI_API_MAJOR", MAJOR as usize),
        ("XLA_FFI_Extension_Metadata", METADATA as usize),
        ("XLA_FFI_ExecutionStage_EXECUTE", EXECUTE as usize),
        ("XLA_FFI_ArgType_BUFFER", BUFFER as usize),
        ("XLA_FFI_RetType_BUFFER", BUFFER as usize),
        ("XLA_FFI_AttrType_SCALAR", SCALAR as usize),
        ("XLA_FFI_DataType_S64", S64 as usize),
        ("XLA_FFI_DataType_F32", F32 as usize),
        ("XLA_FFI_DataType_F64", F64 as usize),
        ("XLA_FFI_Error_Code_INVALID_ARGUMENT", INVALID_ARGUMENT as usize),
    ]);
    all
}
