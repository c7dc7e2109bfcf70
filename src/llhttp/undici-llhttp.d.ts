/** Node's own parser of HTTP/1, as `undici` is published with it: the bytes of a WebAssembly module. */
declare module 'undici/lib/llhttp/llhttp-wasm.js' {
  const module: Uint8Array<ArrayBuffer>
  export = module
}

/** As much of WebAssembly (https://webassembly.github.io/spec/js-api) as it takes; Node's types do not declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  readonly Instance: new (
    module: object,
    imports: { readonly env: Readonly<Record<string, (...numbers: number[]) => number>> },
  ) => { readonly exports: unknown }
}
