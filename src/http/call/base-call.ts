import type { CallAnswer } from './answer.ts'
import type { Call, Identity } from './call.ts'

/** A call before it is known which operation it is for: everything but the operation and its parameters. */
export type BaseCall = Omit<Call, 'operationId' | 'params' | 'caller'> & {
  /** The same call, for one operation with its validated parameters and the caller who may do it. */
  withOperation<Params>(operationId: string, params: Params, caller?: Identity): Call<Params>
}

/** Answers a request of one of {@link LaneRoutes}: does itself what the usual way does, validation and checks. */
export type LaneRoute = {
  (call: BaseCall): CallAnswer
  /** Makes another one of each answer. @default answers go out as they are */
  readonly finish?: FinishAnswer | undefined
  /** Makes a response of an error. @default problem details */
  readonly answerError?: AnswerError | undefined
}

/** Makes a response of an error, in the words of who asked; undefined leaves it. */
export type AnswerError = (error: unknown, call: Pick<BaseCall, 'header'>) => Response | undefined

/** Makes another answer of one, with what the call asks for in its headers. */
export type FinishAnswer = (response: Response, call: Pick<BaseCall, 'header'>) => Response

/**
 * The few routes that are called tens of thousands of times per second, by method and target: on Node they are answered
 * without `node:http` and without a `Request` (`lane/lane.ts`). `undefined` for everything else.
 */
export type LaneRoutes = (method: string, target: string) => LaneRoute | undefined
