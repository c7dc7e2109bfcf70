import { describe, expect, test } from 'vitest'
import { createAudit, toAuditText } from '../../../admin/audit.ts'

describe('createAudit', () => {
  test('counts, tells the log, and remembers the newest hundred', () => {
    const lines: string[] = []
    const audit = createAudit(({ member }) => lines.push(member))
    for (let i = 0; i < 130; i++) {
      audit.record({
        at: i,
        who: 'w',
        from: '',
        action: 'exec',
        mbean: 'd:a=b',
        member: `m${i}`,
        arguments: '[]',
        outcome: i % 2 === 0 ? 'ok' : 'denied',
        result: '',
      })
    }
    expect(audit.counts).toEqual({ ok: 65, denied: 65, failed: 0 })
    expect([lines.length, audit.recent().length, audit.recent()[0]?.member]).toEqual([130, 100, 'm30'])
  })
  test('text of a value is cut', () => expect(toAuditText({ a: 'x'.repeat(1_000) })).toHaveLength(501))
})
