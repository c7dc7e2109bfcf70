import { describe, expect, test } from 'vitest'
import { createFixedResponse } from '../../../../src/http/answers/fixed-response.ts'
import { pageHeaders, toDownloadHeaders } from '../../../../src/http/answers/security-headers.ts'
import { isInMemory, toBaseCall } from '../../../../src/http/call/to-call.ts'

const toContext = (request: Request) => ({ env: undefined, req: { raw: request } })

describe('toBaseCall of a Request', () => {
  test('has what the request has', async () => {
    const raw = new Request('https://h/a%2Fb?x=1&x=2', { method: 'POST', body: 'abc', headers: { 'X-One': '1' } })
    const call = toBaseCall(toContext(raw)).withOperation('postEvent', { name: 'n' })
    expect(call).toMatchObject({
      operationId: 'postEvent',
      params: { name: 'n' },
      method: 'POST',
      target: '/a%2Fb?x=1&x=2',
      peer: '',
      secure: true,
    })
    expect([call.header('x-one'), call.header('x-two')]).toEqual(['1', undefined])
    expect(Buffer.from(await call.bytes(3)).toString()).toBe('abc')
  })

  test('is in memory where nothing says which host it is for', () => {
    const headers = { host: 'h' }
    expect([new Request('http://h/'), new Request('http://h/', { headers })].map(toContext).map(isInMemory)).toEqual([
      true,
      false,
    ])
  })

  test('refuses a body that is larger, announced or not', async () => {
    const large = () => new Request('http://h/', { method: 'POST', body: new Blob(['abcd']).stream(), duplex: 'half' })
    await expect(toBaseCall(toContext(large())).bytes(3)).rejects.toMatchObject({ code: 'too-large' })
    const announced = new Request('http://h/', { method: 'POST', body: 'a', headers: { 'content-length': '9' } })
    await expect(toBaseCall(toContext(announced)).bytes(3)).rejects.toMatchObject({ code: 'too-large' })
  })

  test('has an empty body where there is none, and no stream', async () => {
    const call = toBaseCall(toContext(new Request('http://h/')))
    expect(await call.bytes(0)).toHaveLength(0)
    expect(call.stream()).toBeNull()
  })

  test('a body that breaks is a bad request', async () => {
    const body = new ReadableStream<Uint8Array>({ start: controller => controller.error(new Error('gone')) })
    const raw = new Request('http://h/', { method: 'POST', body, duplex: 'half' })
    await expect(toBaseCall(toContext(raw)).bytes(3)).rejects.toMatchObject({ code: 'bad-request' })
  })
})

describe('createFixedResponse', () => {
  test('is a Response that cannot be changed, but copied', () => {
    const fixed = createFixedResponse(202, { 'cache-control': 'no-store' })
    expect([fixed.status, fixed.body, fixed.headers.get('cache-control')]).toEqual([202, null, 'no-store'])
    expect(() => fixed.headers.set('x', '1')).toThrow(/copy it first/)
    const copy = new Response(null, fixed)
    copy.headers.set('x', '1')
    expect([copy.status, copy.headers.get('cache-control'), fixed.headers.has('x')]).toEqual([202, 'no-store', false])
  })

  test('writes its length, except where there is none', () => {
    expect(createFixedResponse(202).head).toEqual(['content-length', '0'])
    expect(createFixedResponse(204, { a: 'b' }).head).toEqual(['a', 'b'])
  })
})

describe('S2: security headers', () => {
  test('allow no inline script and no frame', () => {
    expect(pageHeaders['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
    expect(pageHeaders['content-security-policy']).not.toContain('unsafe')
    expect(pageHeaders['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['plain.txt', `attachment; filename="plain.txt"; filename*=UTF-8''plain.txt`],
    ['a"b\\c\r\n.txt', `attachment; filename="a_b_c__.txt"; filename*=UTF-8''a%22b%5Cc%0D%0A.txt`],
    ['naïve (1)*.txt', `attachment; filename="na_ve (1)*.txt"; filename*=UTF-8''na%C3%AFve%20%281%29%2A.txt`],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('name a download %j', (name, want) => {
    const headers = toDownloadHeaders(name)
    expect(headers['content-disposition']).toBe(want)
    expect(new Headers({ ...headers }).get('x-content-type-options')).toBe('nosniff')
  })
})
