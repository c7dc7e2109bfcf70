import { errorTable } from '../../src/errors.ts'

/**
 * Reads an answer to its end and judges it: no 5xx, because nothing is away and nothing is full; a refusal says why in
 * the form and with a code that the contract names.
 * @returns the body; undefined where it broke off, which only rows and downloads may do that are under way
 * @throws Error what is wrong with it
 */
export const readAnswer = async (response: Response, method = 'GET'): Promise<Uint8Array | undefined> => {
  const { status, headers } = response
  const type = headers.get('content-type') ?? ''
  const body = await response.bytes().catch((): undefined => undefined)
  const text = Buffer.from(body ?? []).toString('utf8', 0, 500)
  if (status >= 500) throw new Error(`${status} ${text}`)
  if (body === undefined && status !== 200 && status !== 206) throw new Error(`${status} without the end of its body`)
  if (status >= 400 && type.startsWith('application/problem+json') && method.toUpperCase() !== 'HEAD') {
    const { code, status: told } = JSON.parse(Buffer.from(body ?? []).toString()) as { code: string; status: number }
    if (!Object.hasOwn(errorTable, code) || told !== status) throw new Error(`${status} with the problem ${text}`)
  }
  return body
}

/** Errors without a code are answered with 500 and logged, or only logged if an answer is under way. */
const unexpected = ['a request failed', 'a management request failed', 'a page could not be made']

/** @throws Error if the log contains an unexpected error */
export const checkLog = (lines: readonly { readonly msg: string; readonly err?: unknown }[]): void => {
  const line = lines.find(({ msg }) => unexpected.includes(msg))
  if (line) throw new Error(`the log says: ${line.msg}`, { cause: line.err })
}
