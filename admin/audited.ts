import { BeanError } from '../src/beans/bean-error.ts'
import { toPlain } from '../src/beans/value.ts'
import type { Identity } from '../src/http/call/call.ts'
import { isRecord } from '../src/is-record.ts'
import { type Audit, type AuditEntry, toAuditText } from './audit.ts'

/** The caller, and his address. */
export type Caller = { readonly identity: Identity; readonly from: string }

/** What is done, for the audit. */
export type AuditedCall = Pick<AuditEntry, 'action' | 'mbean' | 'member'> & { readonly given: unknown }

/** Does something, and leaves a line in the audit, whatever the outcome. @throws BeanError `denied`; what it throws */
export type Audited = (what: AuditedCall, act: () => unknown) => Promise<unknown>

/** Makes what a caller does with the role `operate`. */
export const createAudited =
  (audit: Audit, now: () => number, caller: Caller): Audited =>
  async (what, act) => {
    const { given, ...rest } = what
    const record = (outcome: AuditEntry['outcome'], result: unknown): void =>
      audit.record({
        at: now(),
        who: caller.identity.name,
        from: caller.from,
        ...rest,
        mbean: toAuditText(rest.mbean),
        member: toAuditText(rest.member),
        arguments: toAuditText(given),
        outcome,
        result: toAuditText(result),
      })
    try {
      if (!caller.identity.has('operate')) throw new BeanError('denied', 'The token lacks the role operate')
      const result = toPlain(await act())
      record(hasFailures(result) ? 'failed' : 'ok', result)
      return result
    } catch (error) {
      const outcome = error instanceof BeanError && error.code === 'denied' ? 'denied' : 'failed'
      record(outcome, error instanceof Error ? error.message : 'unknown error')
      throw error
    }
  }

/** Whether an operation came to its end, and says itself that a part of it failed: `{"files": 3, "failures": 1}`. */
const hasFailures = (result: unknown): boolean =>
  isRecord(result) && typeof result['failures'] === 'number' && result['failures'] > 0
