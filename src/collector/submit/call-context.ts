import type { Current } from '../../current.ts'
import type { Call } from '../../http/call/call.ts'
import { toHeaderText } from '../../http/origin/header-text.ts'
import { formatTraceparent, traceOf } from '../../tracing/trace-context.ts'
import { parseReferrer, type Referrer, type RequestContext } from '../annotations.ts'
import type { Intake } from '../intake.ts'
import { replayOf } from '../refused/replay.ts'
import { toClient } from '../refused/tell-refused.ts'
import type { CollectorSettings } from '../settings.ts'

/** What filters and annotations want to know of a call. */
export const toContext = (call: Call<unknown>, intake: Intake): RequestContext => new CallContext(call, intake)

/** Reads headers on demand: most requests meet no filter and hold no annotation. */
class CallContext implements RequestContext {
  readonly receivedAt: number
  readonly #call: Call<unknown>
  readonly #settings: Current<CollectorSettings>

  constructor(call: Call<unknown>, { settings, clock }: Intake) {
    this.receivedAt = replayOf(call)?.receivedAt ?? clock.now()
    this.#call = call
    this.#settings = settings
  }

  get clientAddress(): string {
    return toClient({ settings: this.#settings }, this.#call)
  }

  get userAgent(): string {
    return toHeaderText(this.#call.header('user-agent') ?? '')
  }

  get referrer(): Referrer {
    return parseReferrer(toHeaderText(this.#call.header('referer') ?? ''))
  }

  get traceparent(): string | undefined {
    const trace = traceOf(this.#call)
    return trace && formatTraceparent(trace)
  }
}
