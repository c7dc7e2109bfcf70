import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { toIntakePaths } from '../../../scripts/generate/intake-paths.ts'
import { toRouteRows } from '../../../scripts/generate/tables.ts'

/** A request to each route of a part, as senders make it. */
const requestsOf = (wanted: string): string[] =>
  toRouteRows()
    .filter(({ part }) => part === wanted)
    .map(({ path }) => path.replace(/\*$/, 'some').replace(/\{\w+\}/g, 'some'))

const nginx = (): RegExp => {
  const page = readFileSync('docs/how-to/nginx.md', 'utf8')
  const [, pattern = expect.unreachable()] = /^ {4}location ~ (\S+) \{$/m.exec(page) ?? []
  return new RegExp(pattern)
}
const passes: Readonly<Record<string, (path: string) => boolean>> = {
  'the Ingress of the chart': path =>
    toIntakePaths().some(one => path === one.path || (one.pathType === 'Prefix' && path.startsWith(`${one.path}/`))),
  'the how-to of nginx': path => nginx().test(path),
}

test.for(Object.entries(passes))('%s passes every path of events, those of doors as well, and no other', ([, does]) => {
  const events = requestsOf('collector')
  expect(events.length).toBeGreaterThan(15)
  expect(events.filter(path => !does(path))).toEqual([])
  // As SDKs write them.
  expect(['/batch/', '/e/', '/i/v0/e/', '/capture/'].filter(path => !does(path))).toEqual([])
  const others = [...requestsOf('gateway'), ...requestsOf('common'), ...requestsOf('management')]
  expect([...others, '/index', '/1x', '/rest/1.0/event/x'].filter(does)).toEqual([])
})
