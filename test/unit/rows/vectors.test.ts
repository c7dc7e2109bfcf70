import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fixture, readJson } from './files.ts'

/** Where ours differs from the predecessor: row by row, what it should have answered, and which of its faults it is. */
const corrections: {
  readonly [name: string]: { readonly why: string; readonly rows: { readonly [row: number]: string } }
} = {
  'events.thrift.raw-false': {
    why: 'named the fields of flat files by position, not by id',
    rows: { 2: '{"0":"fuu","1":1,"2":2,"3":4,"4":8,"5":202.1,"6":true}' },
  },
  'text.txt.raw-false': {
    why: 'dropped empty columns at the end',
    rows: { 3: '{"col-0":"quote\\"d","col-1":"trailing","col-2":"","col-3":""}' },
  },
  'seq-text-none.seq.raw-false': {
    why: 'dropped empty columns at the end',
    rows: { 2: '{"col-0":"x","col-1":"y","col-2":"","col-3":""}' },
  },
}
const sameAs: { readonly [name: string]: string } = {
  'events.thrift.raw-true': 'events.thrift.raw-false',
  'seq-text-block.seq.raw-false': 'seq-text-none.seq.raw-false',
  'seq-text-record.seq.raw-false': 'seq-text-none.seq.raw-false',
}

const names = readdirSync(new URL('../../fixtures/rows', import.meta.url))
  .filter(name => name.endsWith('.json'))
  .map(name => name.slice(0, -'.json'.length))

describe('answers of the predecessor', () => {
  test('there are some', () => expect(names.length).toBeGreaterThan(20))

  test.each(names)('%s', async answer => {
    const name = answer.replace(/\.raw-(true|false)$/, '')
    const old = JSON.parse(fixture(`rows/${answer}.json`).toString()) as {
      readonly entries: readonly { readonly content: readonly unknown[] }[]
    }
    const want = (old.entries[0]?.content ?? []).map(row => JSON.stringify(row))
    const corrected = corrections[sameAs[answer] ?? answer]?.rows ?? {}
    const rows = await readJson(name, fixture(`rows/${name}`), { raw: answer.endsWith('true') })
    // The old answers write doubles as Java does; as numbers they are the same.
    const got = rows.map(row => JSON.stringify(JSON.parse(row)))
    expect(got).toEqual(want.map((row, i) => corrected[i] ?? row))
  })
})
