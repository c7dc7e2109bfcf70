import { OutcomeUnknown, type ProblemDetails, toErrorHeaders, toProblem } from '../../errors.ts'
import type { Call } from '../../http/call/call.ts'

/** How a door refuses: so that its senders retry what they should, and drop what will never be accepted. */
export type DoorRefusals = {
  /** Statuses that its senders act on otherwise than is meant, and what they hear instead. @default none */
  readonly statuses?: Readonly<Record<number, number>>
  /** The words of its own servers. @default problem details */
  readonly toContent?: (problem: ProblemDetails, call: Pick<Call, 'header'>) => RefusalContent
}

/** The body of a refusal. */
export type RefusalContent = { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> }

/** The answer to what was thrown; undefined where none is true. */
export const answerRefusal = (
  error: unknown,
  { statuses = {}, toContent = toProblemContent }: DoorRefusals,
  call: Pick<Call, 'header'>,
): Response | undefined => {
  if (error instanceof OutcomeUnknown) return undefined
  const problem = toProblem(error)
  const status = statuses[problem.status] ?? problem.status
  const { type, body } = toContent({ ...problem, status }, call)
  return new Response(body, { status, headers: { ...toErrorHeaders(error, status), 'content-type': type } })
}

const toProblemContent = (problem: ProblemDetails): RefusalContent => ({
  type: 'application/problem+json',
  body: JSON.stringify(problem),
})
