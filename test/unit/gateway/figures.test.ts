import { describe, expect, test } from 'vitest'
import { toQuantiles } from '../../../src/figures/quantile.ts'
import { createGatewayFigures } from '../../../src/gateway/figures.ts'

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
