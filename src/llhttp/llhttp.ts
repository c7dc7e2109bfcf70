import wasm from 'undici/lib/llhttp/llhttp-wasm.js'

/**
 * What llhttp reports of a message; addresses are those of {@link Llhttp.bytes}. A span of a head is reported whole or
 * not at all.
 */
export type LlhttpEvents = {
  /** Of a request. */
  onUrl?(at: number, length: number): void
  onHeaderField(at: number, length: number): void
  onHeaderValue(at: number, length: number): void
  /** Of {@link Llhttp.readBody}: without what frames it. */
  onBody?(at: number, length: number): void
}

/** The parser that `node:http` has, compiled to WebAssembly (https://llhttp.org), reading messages of one kind. */
export type Llhttp = {
  /** Where bytes are put to be read, {@link windowBytes} long. */
  readonly bytes: Uint8Array
  /**
   * Reads the head of one message from `from` on, as strictly as llhttp can.
   * @returns the position after the head, 0 when it does not end before `to`, -1 when it is not HTTP
   */
  readHead(from: number, to: number): number
  /** Reads on after the head. @returns whether more of the body is expected, undefined when it is not HTTP */
  readBody(from: number, to: number): boolean | undefined
  /** Of the request whose head was read: a number of llhttp's, {@link verbs}. */
  readonly method: number
  /** Of the answer whose head was read. */
  readonly status: number
  readonly isHttp11: boolean
}

/** As many bytes as Node reads from a socket at a time. */
export const windowBytes = 65_536

/** The methods that are asked for, by llhttp's numbers. */
export const verbs: Readonly<Record<number, string>> = { 1: 'GET', 3: 'POST' }

/** llhttp's numbers: the kinds of messages, and two of its results. */
const kinds = { request: 1, response: 2 } as const
const ok = 0
const paused = 21

type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer }
  _initialize(): void
  malloc(bytes: number): number
  llhttp_alloc(type: number): number
  llhttp_reset(parser: number): void
  llhttp_resume(parser: number): void
  llhttp_execute(parser: number, at: number, length: number): number
  llhttp_get_error_pos(parser: number): number
  llhttp_get_method(parser: number): number
  llhttp_get_status_code(parser: number): number
  llhttp_get_http_major(parser: number): number
  llhttp_get_http_minor(parser: number): number
}

let compiled: object | undefined

/** Makes a parser: the first one is compiled, which takes some ms. It takes no memory from then on. */
export const createLlhttp = (kind: keyof typeof kinds, events: LlhttpEvents): Llhttp => {
  const nothing = (): number => ok
  let base = 0
  const env = {
    wasm_on_message_begin: nothing,
    wasm_on_status: nothing,
    wasm_on_body: (_: number, at: number, length: number): number => {
      events.onBody?.(at - base, length)
      return ok
    },
    wasm_on_message_complete: (): number => paused,
    wasm_on_url: (_: number, at: number, length: number): number => {
      events.onUrl?.(at - base, length)
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
    // Most bodies are not its business: it stops right after the head.
    wasm_on_headers_complete: (): number => paused,
  }
  compiled ??= new WebAssembly.Module(wasm)
  const llhttp = new WebAssembly.Instance(compiled, { env }).exports as Exports
  llhttp._initialize()
  const parser = llhttp.llhttp_alloc(kinds[kind])
  base = llhttp.malloc(windowBytes)
  const bytes = new Uint8Array(llhttp.memory.buffer, base, windowBytes)
  return {
    bytes,
    readHead: (from, to) => {
      llhttp.llhttp_reset(parser)
      const result = llhttp.llhttp_execute(parser, base + from, to - from)
      if (result === paused) return llhttp.llhttp_get_error_pos(parser) - base
      return result === ok ? 0 : -1
    },
    readBody: (from, to) => {
      llhttp.llhttp_resume(parser)
      const result = llhttp.llhttp_execute(parser, base + from, to - from)
      return result === ok || result === paused ? result === ok : undefined
    },
    get method() {
      return llhttp.llhttp_get_method(parser)
    },
    get status() {
      return llhttp.llhttp_get_status_code(parser)
    },
    get isHttp11() {
      return llhttp.llhttp_get_http_major(parser) === 1 && llhttp.llhttp_get_http_minor(parser) === 1
    },
  }
}
