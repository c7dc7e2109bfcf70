import { expect, test } from 'vitest'
import { toCurlExample } from '../../../src/contract/curl.ts'
import { contract } from './fixture.ts'

test.each([
  { id: 'getEventV1', want: "curl -i 'http://s/1?v=PageView,s/news,487,b1,xdate'" },
  { id: 'deletePath', want: "curl -i -X DELETE 'http://s/rest/1.0?path=/data/words.txt'" },
  { id: 'getLiveness', want: "curl -i 'http://s/livez'" },
  {
    id: 'postEvent',
    want: `curl -i 'http://s/rest/1.0/event' \\
  -H 'Content-Type: application/json' \\
  -d '[{"eventName":"PageView","payload":{"eventDate":1230865445006,"path":"/news","durationMs":87}}]'`,
  },
  {
    id: 'uploadFile',
    want: `curl -i 'http://s/rest/1.0?path=/data/words.txt' \\
  -H 'Content-Type: application/octet-stream' \\
  --data-binary @words.txt`,
  },
])('toCurl of $id', ({ id, want }) => {
  const operation = contract.operations.find(candidate => candidate.id === id)
  expect(operation && toCurlExample(operation, 'http://s')).toBe(want)
})
