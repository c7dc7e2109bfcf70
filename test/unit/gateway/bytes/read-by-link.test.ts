import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunksOf } from '../../../suites/filesystem.ts'
import { createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { hostileNames } from '../pages/world.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await createTestGateway()
  for (const path of [
    '/d/f',
    '/d/a+b c%41;x=1?#&=.txt',
    '/d/_hidden',
    '/d/.b',
    ...hostileNames.map(name => `/h/${name}`),
  ]) {
    await gateway.fs.create(path, chunksOf(path))
  }
})
afterAll(() => gateway.close())

const get = async (target: string, init?: RequestInit) => {
  const answer = await gateway.call(target, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('GET /files/{path}', () => {
  test.each([
    ['/files/d/f', '/d/f'],
    ['/files/d/f/', '/d/f'],
    ['/files//d//f', '/d/f'],
    // A client made from the contract escapes slashes, too.
    ['/files/d%2Ff', '/d/f'],
    ['/files/d/f?path=/d/_hidden&token=x', '/d/f'],
    ['/files/d/a+b%20c%2541;x=1%3F%23&=.txt', '/d/a+b c%41;x=1?#&=.txt'],
    ['/files/d/_hidden', '/d/_hidden'],
    ['/files/d/.b', '/d/.b'],
    ...hostileNames.map(name => [`/files/h/${encodeURIComponent(name)}`, `/h/${name}`]),
  ])('%s gives %s', async (target = '', path = '') => {
    expect(await get(target)).toMatchObject({ status: 200, text: path })
  })

  test.each([
    ['/files/d/f%00', 400, 'bad-path'],
    ['/files/%2e%2e%2f%2e%2e/etc/passwd', 400, 'bad-path'],
    ['/files/d/100%', 400, 'bad-path'],
    ['/files/d/%ff', 400, 'bad-path'],
    [`/files/d/${'a'.repeat(256)}`, 400, 'bad-path'],
    [`/files/${'a/'.repeat(4_500)}`, 414, 'uri-too-long'],
    ['/files/d/none', 404, 'not-found'],
    ['/files/d/f/g', 404, 'not-found'],
    ['/filesd/f', 404, 'not-found'],
  ])('%.40s is a %i %s', async (target, status, code) => {
    const answer = await get(target)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, expect.objectContaining({ code })])
  })

  test.each(['/files/d', '/files/d/', '/files', '/files/'])(
    '%s is a directory: a 409 says what to use',
    async target => {
      for (const method of ['GET', 'HEAD']) expect((await get(target, { method })).status).toBe(409)
      const problem = JSON.parse((await get(target)).text)
      expect(problem).toMatchObject({ code: 'is-directory', detail: expect.stringContaining('is a directory') })
      const path = target === '/files' || target === '/files/' ? '/' : '/d'
      const instead = [...problem.detail.matchAll(/\/rest\/1\.0\/\w+\?[^…]*path=(?=…)/g)].map(
        ([link]) => `${link}${path}`,
      )
      expect(instead).toHaveLength(2)
      for (const link of instead) expect((await get(link)).status).toBe(200)
    },
  )

  test.each(['PUT', 'POST', 'DELETE', 'PATCH'])('%s is refused: nothing is written by a link', async method => {
    const answer = await get('/files/d/f', { method, ...(method === 'DELETE' ? {} : { body: 'x' }) })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await get('/files/d/f')).text).toBe('/d/f')
  })
})
