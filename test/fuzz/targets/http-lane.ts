import { createLane } from '../../../src/http/lane/lane.ts'
import { toConnection } from '../../suites/http-lane/cuts.ts'
import { createDifferential } from '../../suites/http-lane/differential.ts'
import { createConnection } from '../../suites/http-lane/grammar.ts'
import { laneOptions } from '../../suites/http-lane/lane-options.ts'
import { smuggling } from '../../suites/http-lane/smuggling.ts'
import type { Random } from '../random.ts'
import { toWords } from '../words.ts'

/** Bytes of a connection, in pieces: the lane in front of `node:http` sees and answers what `node:http` alone does. */
export const name = 'http-lane'

export const dictionary = [
  ...toWords('GET POST HEAD /1?v=a /2?v=a /rest/1.0/event HTTP/1.1 HTTP/1.0 chunked keep-alive close , ; 0 5 30'),
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  'GET /1?v=a HTTP/1.1\r\nHost: h\r\n\r\n',
  'POST /rest/1.0/event HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}',
  'Host: h\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 2\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: keep-alive\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: h2c\r\n',
  'Expect: 100-continue\r\n',
  '0\r\n\r\n',
  '2\r\n{}\r\n0\r\n\r\n',
]

export const corpus = (): Uint8Array[] => smuggling.map(text => Buffer.from(text, 'latin1'))

export const generate = (random: Random): Uint8Array => Buffer.from(createConnection(random), 'latin1')

let differential: ReturnType<typeof createDifferential> | undefined

export const run = (bytes: Uint8Array): Promise<void> => {
  differential ??= createDifferential(parts => createLane({ ...laneOptions, ...parts }))
  return differential.run(toConnection(bytes))
}

export const close = async (): Promise<void> => {
  differential?.close()
  differential = undefined
}
