/** Longest time for one answer; an operation may carry a large backlog. */
const timeoutMs = 10_000
const longTimeoutMs = 600_000
/** Calls that one request may hold; the server takes 100. */
const maxBatch = 100

/**
 * @typedef {{ readonly method: string, readonly params?: Readonly<Record<string, unknown>> }} Call
 * @typedef {{ readonly result: unknown } | { readonly error: { readonly code: number, readonly message: string } }} Outcome
 */

/** The request as a whole failed: `unavailable` no answer, `login` a token is needed, `refused` anything else. */
export class RpcFailure extends Error {
  /**
   * @param {'unavailable' | 'login' | 'refused'} kind
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(kind, message, cause) {
    super(message, { cause })
    this.kind = kind
  }
}

/**
 * Sends calls as one JSON-RPC batch, and gives an outcome for each, in their order.
 * @param {readonly Call[]} calls
 * @param {number} [ms] how long the answer may take
 * @returns {Promise<readonly Outcome[]>}
 */
export const sendBatch = async (calls, ms = timeoutMs) => {
  if (calls.length > maxBatch) throw new RangeError(`A batch holds ${maxBatch} calls, not ${calls.length}`)
  const messages = calls.map(({ method, params = {} }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const answers = await post(messages, ms)
  if (!Array.isArray(answers)) throw new RpcFailure('refused', toOutcome(answers).error?.message ?? 'No batch answered')
  const byId = new Map(answers.map(answer => [answer?.id, answer]))
  return calls.map((_, id) => toOutcome(byId.get(id)))
}

/**
 * Sends one call.
 * @param {string} method
 * @param {Readonly<Record<string, unknown>>} [params]
 * @param {number} [ms] how long the answer may take
 * @returns {Promise<unknown>} @throws RpcFailure, and Error with the server's words
 */
export const call = async (method, params, ms) => {
  const [outcome] = await sendBatch([{ method, ...(params ? { params } : {}) }], ms)
  if (outcome && 'result' in outcome) return outcome.result
  throw new Error(outcome?.error.message ?? 'No answer')
}

/**
 * {@link call} of what may take minutes.
 * @param {string} method
 * @param {Readonly<Record<string, unknown>>} params
 */
export const callLong = (method, params) => call(method, params, longTimeoutMs)

/** @param {unknown} message @param {number} ms */
const post = async (message, ms) => {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(message),
  }
  const response = await askServer('/rpc', init, ms)
  if (response.status === 401) throw new RpcFailure('login', 'A token is needed')
  if (response.status === 502 || response.status === 503 || response.status === 504)
    throw new RpcFailure('unavailable', `The server answers HTTP ${response.status}`)
  if (!response.ok) throw new RpcFailure('refused', await toRpcProblem(response))
  try {
    return await response.json()
  } catch (error) {
    throw new RpcFailure('unavailable', 'The answer broke off', error)
  }
}

/**
 * `fetch` that reports a missing answer as a failure.
 * @param {string} path
 * @param {RequestInit} init
 * @param {number} [ms] how long the answer may take
 */
export const askServer = async (path, init, ms = timeoutMs) => {
  try {
    return await fetch(path, { ...init, signal: AbortSignal.timeout(ms), credentials: 'same-origin' })
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    throw new RpcFailure('unavailable', isLate ? `No answer within ${ms / 1_000} s` : 'Nobody answers', error)
  }
}

/**
 * What the problem details of an answer say.
 * @param {Response} response
 */
export const toRpcProblem = async response => {
  const problem = await response.json().catch(() => undefined)
  return String(problem?.detail ?? problem?.title ?? `The server answers HTTP ${response.status}`)
}

/** @param {any} answer @returns {{ result: unknown, error?: undefined } | { error: { code: number, message: string } }} */
const toOutcome = answer => {
  if (answer && typeof answer === 'object' && Object.hasOwn(answer, 'result')) return { result: answer.result }
  const { code = -32603, message = 'The answer is not a JSON-RPC response' } = answer?.error ?? {}
  return { error: { code: Number(code), message: String(message) } }
}
