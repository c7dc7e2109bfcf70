import { expect, onTestFinished, test } from 'vitest'
import { toResponse } from '../../../../src/errors.ts'
import { toBaseCall } from '../../../../src/http/call/to-call.ts'
import { createEdge } from '../../../../src/http/edge/node.ts'
import { checkSource } from '../../../../src/http/origin/hosts.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { createRawClient } from '../raw-client.ts'

/** What a server that knows itself as `localhost` answers to a request line with `Host: localhost`. */
const ask = async (line: string, fields = 'HTTP/1.1\r\nHost: localhost'): Promise<string> => {
  const edge = await createEdge({
    name: 'server',
    host: '127.0.0.1',
    port: 0,
    fetch: (raw, env) => {
      const call = toBaseCall({ env, req: { raw } })
      try {
        checkSource(call, { allowedHosts: ['localhost'], secure: false })
        return new Response(`${call.header('host')} ${raw.headers.get('host')} ${call.target}`)
      } catch (error) {
        return toResponse(error)
      }
    },
    logger: silentLogger,
    limits: { idleGraceMs: 1 },
  })
  onTestFinished(() => edge.close())
  const client = await createRawClient(edge.port)
  client.send(`${line} ${fields}\r\nConnection: close\r\n\r\n`)
  const answer = await client.rest()
  return `${answer.slice(9, 12)} ${answer.startsWith('HTTP/1.1 200') ? answer.split('\r\n\r\n')[1] : ''}`.trim()
}

test.each([
  ['GET /a?b=c', '200 localhost localhost /a?b=c'],
  ['GET http://localhost/a?b=c', '200 localhost localhost /a?b=c'],
  ['GET HTTP://localhost:8080', '200 localhost:8080 localhost:8080 /'],
  ['GET https://localhost?b', '200 localhost localhost /?b'],
  ['GET http://evil.example/a', '403'],
  ['GET http://evil.example:80/', '403'],
  ['GET http://localhost@evil.example/', '400'],
  ['GET http://evil.example@localhost/', '400'],
  ['GET http://localhost:80@localhost/', '400'],
  ['GET http://evil.example\\@localhost/', '400'],
  ['GET http:///a', '400'],
  ['GET ftp://localhost/a', '400'],
  ['GET *', '400'],
  ['OPTIONS *', '204'],
])('%s: %s', async (line, answer) => {
  expect(await ask(line)).toBe(answer)
})

test('the host in the target counts, and not the other one', async () => {
  for (const fields of ['HTTP/1.1\r\nHost: evil.example', 'HTTP/1.0\r\nHOST: evil.example', 'HTTP/1.0']) {
    expect(await ask('GET http://localhost/a', fields)).toBe('200 localhost localhost /a')
  }
})
