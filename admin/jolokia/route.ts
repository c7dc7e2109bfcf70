import { answerJson } from '../answer.ts'
import { readJsonText } from '../json-body.ts'
import type { ProtocolParts } from '../protocol.ts'
import { type AdminCall, adminRoutes } from '../routes.ts'
import { answerRequest } from './answer.ts'
import { JolokiaError } from './errors.ts'
import { type ParsedRequest, parseGet, parsePost } from './request.ts'

/** Where the protocol is spoken. */
const jolokiaPath = adminRoutes.jolokia.path
/** Most requests in one POST. */
const maxBulk = 100

/**
 * Answers GET and POST below `/jolokia`, in Jolokia's protocol 8. The HTTP status is 200 also for failed requests;
 * their own is in the answer. GET reads only.
 */
export const createJolokiaRoute =
  ({ open, ...parts }: ProtocolParts) =>
  async (call: AdminCall): Promise<Response> => {
    const { turns } = call
    const context = { ...parts, beans: open(call), turns }
    const toResponse = (answer: unknown): Promise<Response> => answerJson(answer, turns)
    const answerOne = (parse: () => ParsedRequest): Promise<unknown> => answerRequest(parse, context)
    const url = new URL(call.target, 'http://localhost')
    const query = url.searchParams
    if (call.method !== 'POST') return toResponse(await answerOne(() => parseGet(toGetPath(url), query)))
    const body = parseJson(await readJsonText(call, ['application/json', 'text/json']))
    if (typeof body === 'function') return toResponse(await answerOne(() => parsePost(body(), query)))
    if (body.length > maxBulk) {
      const problem = JolokiaError.illegal(`A bulk has at most ${maxBulk} requests, this one ${body.length}`)
      return toResponse(
        await answerOne(() => {
          throw problem
        }),
      )
    }
    const answers: unknown[] = []
    // One after another, in their order: a read after a write sees it.
    for (const [index, request] of body.entries()) {
      // Events that arrive meanwhile wait for one request, not for all of them.
      if (index > 0) await turns.next()
      answers.push(await answerOne(() => parsePost(request, query)))
    }
    return toResponse(answers)
  }

/** An array is a bulk; anything else is one request, which may turn out not to be JSON. */
const parseJson = (text: string): readonly unknown[] | (() => unknown) => {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : () => value
  } catch {
    return () => {
      throw JolokiaError.illegal('The body is not JSON')
    }
  }
}

/** The path after `/jolokia`, decoded once. */
const toGetPath = ({ pathname }: URL): string => {
  try {
    return decodeURIComponent(pathname.slice(jolokiaPath.length))
  } catch {
    return `/${pathname.slice(jolokiaPath.length + 1)}`
  }
}
