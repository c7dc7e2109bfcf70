import { expect, test } from 'vitest'
import { createWebCall } from '../../../src/http/call/web-call.ts'
import { toReadRequest } from '../../../src/readers/wire.ts'

test('S5: nothing that proves who calls goes over to a reader', () => {
  const secret = 'S3cret-of-ann'
  const headers = { authorization: `Bearer ${secret}`, cookie: `sluice-session=${secret}`, accept: '*/*' }
  const target = `/webhdfs/v1/d?op=LISTSTATUS&delegation=${secret}&startAfter=a`
  const call = createWebCall(new Request(`http://localhost${target}`, { headers }), '10.0.0.7')
  const params = { path: '/d', op: 'LISTSTATUS', delegation: secret, startAfter: 'a' }
  const request = toReadRequest(
    'walkWebHdfs',
    call.withOperation('webHdfsGet', params, { name: 'ann', has: () => true }),
  )
  expect(JSON.stringify(request)).not.toContain(secret)
  expect(request).toMatchObject({
    params: { path: '/d', op: 'LISTSTATUS', startAfter: 'a' },
    headers: { accept: '*/*' },
    caller: { name: 'ann' },
    peer: '10.0.0.7',
  })
})
