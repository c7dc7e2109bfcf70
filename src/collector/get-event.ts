import { ThriftWriter } from '../formats/thrift/writer.ts'
import type { Admission } from '../http/body/admission.ts'
import type { CallAnswer } from '../http/call/answer.ts'
import type { Call } from '../http/call/call.ts'
import type { Granularity } from '../spool/batch.ts'
import { checkEventName } from '../spool/bucket.ts'
import type { RequestContext } from './annotations.ts'
import { toAccepted, withIntakeHeaders } from './answers.ts'
import type { QueryFormat } from './formats/query.ts'
import { answerIntake, type Intake } from './intake.ts'
import type { Parsed } from './parsed.ts'
import { parseDateParameter } from './parsers/event-date.ts'
import { parseEventQuery, type QueryVersion } from './parsers/query.ts'
import { toThriftEvent } from './parsers/thrift.ts'
import { lookAtQuota } from './quota/call-quota.ts'
import { replayOf } from './refused/replay.ts'
import { toSubmittedReplay } from './refused/tell-refused.ts'
import { toContext } from './submit/call-context.ts'
import { fingerprintOf } from './submit/idempotency.ts'
import type { Submission } from './submit/submission.ts'

/** Parameters of `/1` and `/2`, each form-decoded once. */
export type GetEventParams = {
  readonly v: string
  readonly date?: string | undefined
  readonly gr: Granularity
}

/** Takes one event from the query; `HEAD` gets the answer that `GET` would get, and records nothing. */
export const createGetEvent = (
  { api, version }: QueryFormat,
  intake: Intake,
): ((call: Call<GetEventParams>) => CallAnswer) => {
  // One for all requests: each copies its fields out before the next one.
  const fields = new ThriftWriter()
  const parse = (call: Call<GetEventParams>, context: RequestContext): Parsed =>
    parseGet(call.params, version, context, fields)

  const read = (call: Call<GetEventParams>): Submission => {
    const context = toContext(call, intake)
    const parsed = parse(call, context)
    const replay = replayOf(call)
    return {
      api,
      receivedAt: replay ? intake.clock.now() : context.receivedAt,
      parsed,
      claim: intake.admission.admit(call.target.length),
      context,
      ...(replay && {
        replay: toSubmittedReplay(intake, call, replay),
        idempotent: { key: replay.key, fingerprint: fingerprintOf([call.target]).digest() },
      }),
    }
  }

  const look = async (call: Call<GetEventParams>): Promise<Response> => {
    try {
      parse(call, toContext(call, intake))
      lookAtQuota(intake, call)
      await intake.check()
      checkAdmission(intake.admission)
      return toAccepted({ accepted: 1, rejected: 0, errors: [] }, api)
    } catch (error) {
      throw withIntakeHeaders(error)
    }
  }

  return call => (call.method === 'HEAD' ? look(call) : answerIntake(intake, api, call, read))
}

const parseGet = (
  { v, date, gr: granularity }: GetEventParams,
  version: QueryVersion,
  context: RequestContext,
  fields: ThriftWriter,
): Parsed => {
  const at = parseDateParameter(date) ?? context.receivedAt
  const { name, payload } = parseEventQuery(v, version, context, fields)
  checkEventName(name)
  return toThriftEvent(payload, { name, date: at, granularity })
}

/** @throws SluiceError what one event more would be refused with */
const checkAdmission = (admission: Admission): void => {
  const claim = admission.admit(0)
  try {
    claim.addEvents(1)
  } finally {
    claim.release()
  }
}
