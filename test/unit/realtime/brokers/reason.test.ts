import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAmqpClient } from '../../../../src/realtime/brokers/amqp.ts'
import { createKafkaClient } from '../../../../src/realtime/brokers/kafka.ts'
import { toReason } from '../../../../src/realtime/brokers/reason.ts'
import { makeCertificate } from '../../../bench/certificate.ts'

const wrapped = (cause: unknown): Error =>
  new AggregateError([new Error('Connection to broker:9092 failed.', { cause })], 'Cannot connect to any broker.')

describe('toReason says the innermost cause first', () => {
  test.each([
    [wrapped(new Error('connect ECONNREFUSED 127.0.0.1:9092')), /^connect ECONNREFUSED 127.0.0.1:9092 \(Connection to/],
    [wrapped(Object.assign(new Error('no'), { apiId: 'SASL_AUTHENTICATION_FAILED' })), /^wrong user or password \(/],
    [wrapped(new Error('Connection closed.')), /^the broker closed the connection and gave no reason/],
    [{ condition: 'amqp:resource-limit-exceeded', description: 'too large' }, /^too large$/],
    [{ condition: 'amqp:resource-limit-exceeded' }, /^amqp:resource-limit-exceeded$/],
    ['text', /^text$/],
    [undefined, /^no reason was given$/],
    [null, /^no reason was given$/],
    [Object.assign(new Error(''), { code: 'ECONNRESET' }), /^ECONNRESET$/],
  ])('%j', (error, want) => expect(toReason(error)).toMatch(want))

  const unknownCa = /^the CA of the broker's certificate is not known: NODE_EXTRA_CA_CERTS/
  test.each([
    ['SASL_AUTHENTICATION_FAILED', 'no', /^wrong user or password/],
    ['UNSUPPORTED_SASL_MECHANISM', 'no', /^the broker does not support this SASL mechanism/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'no', unknownCa],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'no', unknownCa],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'no', unknownCa],
    ['UNABLE_TO_GET_ISSUER_CERT', 'no', unknownCa],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'no', unknownCa],
    ['', 'Failed to authenticate: SASL/PLAIN', /^wrong user or password/],
    ['', 'Connection closed.', /^the broker closed the connection and gave no reason: it may expect a user, or TLS/],
    [
      '',
      'Client network socket disconnected before secure TLS connection was established',
      /^the broker ended the TLS/,
    ],
    ['', 'Broker requires TLS.', /^the broker expects TLS \(option tls/],
    ['', 'Something else.', /^Something else($| \()/],
  ])('of code %j with "%s", however deep', (code, text, want) => {
    const error = Object.assign(new Error(text), { code })
    for (const one of [error, wrapped(error), wrapped(wrapped(error))]) expect(toReason(one)).toMatch(want)
  })

  test('a broker that says a lot is cut short', () => {
    const long = 'x'.repeat(1_000_000)
    for (const error of [long, { description: long }, wrapped(new Error(long)), new Error(`at broker:1 ${long}`)]) {
      expect(toReason(error).length).toBeLessThan(700)
    }
    expect(toReason({ description: 'x'.repeat(300) })).toBe('x'.repeat(300))
    expect(toReason({ description: 'x'.repeat(301) })).toBe(`${'x'.repeat(299)}…`)
  })

  test('an error that is its own cause ends', () => {
    const error = new Error('round')
    error.cause = error
    expect(toReason(error)).toBe('round')
  })
})

describe('a broker whose CA is not known', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-ca-'))
  const server = createServer()
  beforeAll(async () => {
    const { cert, key } = makeCertificate(directory)
    server.setSecureContext({ cert: readFileSync(cert), key: readFileSync(key) })
    server.on('tlsClientError', () => {})
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })

  test.each(['kafka', 'amqps'])('%s', async kind => {
    const { port } = server.address() as AddressInfo
    const url = new URL(`${kind}://localhost:${port}${kind === 'kafka' ? '?tls=true' : ''}`)
    const options = { url, topic: '', ttlMs: 0, persistent: false }
    const client = kind === 'kafka' ? await createKafkaClient(options) : createAmqpClient(options)
    await expect(client.connect(new AbortController().signal)).rejects.toThrow(
      /^the CA of the broker's certificate is not known/,
    )
  })
})
