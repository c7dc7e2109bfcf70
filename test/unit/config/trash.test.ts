import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/config.ts'
import { toTrashMinutes } from '../../../src/config/trash.ts'

const load = (...assignments: string[]) =>
  loadConfig({
    argv: assignments.flatMap(one => ['--set', one]),
    env: {},
    cwd: '/',
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  }).settings

test.each([
  { given: [], minutes: 1_440 },
  { given: ['gateway.trash=0'], minutes: 0 },
  { given: ['gateway.trash=60'], minutes: 60 },
  { given: ['clusters=[{"path":"/more","url":"file:///srv"}]'], minutes: 1_440 },
  { given: ['clusters=[{"path":"/hdfs","url":"hdfs://nn:8020"}]'], minutes: 0 },
  { given: ['namenode.url=hdfs://nn:8020'], minutes: 0 },
  { given: ['namenode.url=hdfs://nn:8020', 'gateway.trash=5'], minutes: 5 },
])('what the pages delete is kept for $minutes minutes with $given', ({ given, minutes }) => {
  expect(toTrashMinutes(load(...given))).toBe(minutes)
})
