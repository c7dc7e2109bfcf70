import wasm from 'undici/lib/llhttp/llhttp-wasm.js'

/** What llhttp tells of a request's head; addresses are those of {@link Llhttp.bytes}. A span comes whole or not at all. */
export type HeadEvents = {
  onUrl(at: number, length: number): void
  onHeaderField(at: number, length: number): void
  onHeaderValue(at: number, length: number): void
}

/** The parser that `node:http` has, compiled to WebAssembly (https://llhttp.org), reading heads of requests. */
export type Llhttp = {
  /** Where bytes are put to be read, {@link windowBytes} long. */
  readonly bytes: Uint8Array
  /**
   * Reads the head of one request from `from` on, as strictly as llhttp can.
   * @returns the position behind the head, 0 when it does not end before `to`, -1 when it is not HTTP
   */
  read(from: number, to: number): number
  /** Of the head that was read: a number of llhttp's, {@link methods}. */
  readonly method: number
  readonly isHttp11: boolean
}

/** As many bytes as Node reads from a socket at a time. */
export const windowBytes = 65_536

/** The methods that are asked for, by llhttp's numbers. */
export const methods: Readonly<Record<number, string>> = { 1: 'GET', 3: 'POST' }

/** llhttp's numbers: the kind of message, and two of its results. */
const requests = 1
const ok = 0
const paused = 21

type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer }
  _initialize(): void
  malloc(bytes: number): number
  llhttp_alloc(type: number): number
  llhttp_reset(parser: number): void
  llhttp_execute(parser: number, at: number, length: number): number
  llhttp_get_error_pos(parser: number): number
  llhttp_get_method(parser: number): number
  llhttp_get_http_major(parser: number): number
  llhttp_get_http_minor(parser: number): number
}

/** Compiles the parser: some ms. It takes no memory from then on. */
export const createLlhttp = (events: HeadEvents): Llhttp => {
  const nothing = (): number => ok
  let base = 0
  const env = {
    wasm_on_message_begin: nothing,
    wasm_on_status: nothing,
    wasm_on_body: nothing,
    wasm_on_message_complete: nothing,
    wasm_on_url: (_: number, at: number, length: number): number => {
      events.onUrl(at - base, length)
      return ok
    },
    wasm_on_header_field: (_: number, at: number, length: number): number => {
      events.onHeaderField(at - base, length)
      return ok
    },
    wasm_on_header_value: (_: number, at: number, length: number): number => {
      events.onHeaderValue(at - base, length)
      return ok
    },
    // The body is not its business: it stops right behind the head.
    wasm_on_headers_complete: (): number => paused,
  }
  const llhttp = new WebAssembly.Instance(new WebAssembly.Module(wasm), { env }).exports as Exports
  llhttp._initialize()
  const parser = llhttp.llhttp_alloc(requests)
  base = llhttp.malloc(windowBytes)
  const bytes = new Uint8Array(llhttp.memory.buffer, base, windowBytes)
  return {
    bytes,
    read: (from, to) => {
      llhttp.llhttp_reset(parser)
      const result = llhttp.llhttp_execute(parser, base + from, to - from)
      if (result === paused) return llhttp.llhttp_get_error_pos(parser) - base
      return result === ok ? 0 : -1
    },
    get method() {
      return llhttp.llhttp_get_method(parser)
    },
    get isHttp11() {
      return llhttp.llhttp_get_http_major(parser) === 1 && llhttp.llhttp_get_http_minor(parser) === 1
    },
  }
}
