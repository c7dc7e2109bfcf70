import { describe, expect, test } from 'vitest'
import { createAudit, toAuditText } from '../../../admin/audit.ts'
import { createGatewayFigures } from '../../../src/beans/gateway-figures.ts'
import { toQuantiles } from '../../../src/beans/quantile.ts'

describe('createGatewayFigures', () => {
  test('counts requests by operation, cluster and status; clusters are bounded', () => {
    const figures = createGatewayFigures()
    figures.record({ op: 'readJson', cluster: '/', code: 200 })
    figures.record({ op: 'readJson', cluster: '/', code: 200 })
    for (let i = 0; i < 60; i++) figures.record({ op: 'browse', cluster: `/c${i}`, code: 404 })
    expect(figures.requests()[0]).toEqual({ op: 'readJson', cluster: '/', code: 200, count: 2 })
    expect(figures.requests().find(({ cluster }) => cluster === '(other)')?.count).toBe(11)
    expect(figures.requests()).toHaveLength(51)
  })
  test('keeps the newest upstream times, and the sum of all', () => {
    const figures = createGatewayFigures()
    for (let i = 0; i < 2_000; i++) figures.recordUpstream(i < 1_000 ? 5 : 1)
    const { count, totalMs, newest, counts } = figures.upstream
    expect([count, totalMs, newest.length]).toEqual([2_000, 6_000, 1_024])
    expect(counts().slice(0, 5)).toEqual([0, 1_000, 1_000, 2_000, 2_000])
    expect(toQuantiles(newest, [0.5, 1])).toEqual([1, 5])
  })
})

describe('toQuantiles', () => {
  test('of nothing is zero', () => expect(toQuantiles([], [0.5])).toEqual([0]))
  test('by nearest rank', () => expect(toQuantiles([10, 2, 1], [0, 0.34, 0.99])).toEqual([1, 2, 10]))
})

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
