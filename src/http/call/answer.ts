import { Deferred } from '../../runtime/deferred.ts'

/** What a route gives for a call: its answer, or a promise of it. */
export type CallAnswer = Response | Promise<Response> | Deferred<Response>

/** For `await`. */
export const toAwaitable = (answer: CallAnswer): Response | Promise<Response> =>
  answer instanceof Deferred ? answer.promise() : answer
