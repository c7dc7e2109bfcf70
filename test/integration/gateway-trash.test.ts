import { describe, expect, test } from 'vitest'
import type { Logger } from '../../src/log/log.ts'
import { at, createTestGateway } from '../suites/gateway.ts'
import { describeHdfs } from '../suites/hdfs.ts'

const keepAndBringBack = async (settings: readonly string[], mount: string): Promise<void> => {
  const lines: unknown[] = []
  const note: Logger['info'] = (fields, message) => message === 'gateway' && lines.push(fields)
  const logger = { debug: () => {}, info: note, warn: () => {}, error: () => {} }
  const gateway = await createTestGateway({ fileSystem: null, settings: [...settings, 'gateway.trash=60'], logger })
  const base = `/trash-${process.pid}-${Date.now()}`
  const headers = { origin: 'http://localhost', accept: 'text/html' }
  const post = async (target: string, fields: Readonly<Record<string, string>> = {}) =>
    await gateway.call(target, { method: 'POST', headers, body: new URLSearchParams(fields) })
  const read = async (path: string) => {
    const response = await gateway.call(at('/binary', path))
    const text = await response.text()
    return response.status === 200 ? text : response.status
  }
  try {
    const [directory, trash] = [`${mount}${base}`, `${mount}/user/anonymous/.Trash/Current${base}`]
    await gateway.call(at('', `${directory}/sub/f`), { method: 'POST', body: 'first' })
    lines.length = 0
    const asked = await (await gateway.call(at('/hdfs', `${directory}/sub`, '&show=delete'), { headers })).text()
    expect(asked).toContain('It goes to the trash')
    const location = (await post(at('/hdfs', `${directory}/sub`, '&action=delete'))).headers.get('location') ?? ''
    expect([await read(`${directory}/sub/f`), await read(`${trash}/sub/f`)]).toEqual([404, 'first'])
    expect(lines.at(-1)).toMatchObject({
      who: 'anonymous',
      operation: 'RENAME',
      path: `${directory}/sub`,
      destination: `${trash}/sub`,
      outcome: 'ok',
    })
    const page = await (await gateway.call(location, { headers })).text()
    const undo = /action="([^"]*action=rename)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await post(undo, { directory, name: 'sub' })).status).toBe(303)
    expect([await read(`${directory}/sub/f`), await read(`${trash}/sub/f`)]).toEqual(['first', 404])

    // The file is in the way of the directory of the same name that is deleted after it.
    await gateway.call(at('', `${directory}/both`), { method: 'POST', body: 'file' })
    await post(at('/hdfs', `${directory}/both`, '&action=delete'))
    await gateway.call(at('', `${directory}/both/f`), { method: 'POST', body: 'below' })
    const below = await post(at('/hdfs', `${directory}/both/f`, '&action=delete'))
    const trashed = new URLSearchParams(below.headers.get('location')?.split('?')[1]).get('trashed') ?? ''
    expect(trashed).toMatch(/\/both\d{13}\/f$/)
    expect([await read(`${trash}/both`), await read(trashed)]).toEqual(['file', 'below'])

    await post(at('/hdfs', `${trash}/both`, '&action=delete'))
    expect(await read(`${trash}/both`)).toBe(404)
    await gateway.call(at('', `${directory}/sub`, '&recursive=true'), { method: 'DELETE' })
    expect([await read(`${directory}/sub/f`), await read(`${trash}/sub/f`)]).toEqual([404, 404])
    await gateway.call(at('', trash, '&recursive=true'), { method: 'DELETE' })
    await gateway.call(at('', directory, '&recursive=true'), { method: 'DELETE' })
  } finally {
    await gateway.close()
  }
}

describe('the trash of the pages', () => {
  test.each([
    { where: 'here', settings: [] },
    { where: 'in a process for reads', settings: ['gateway.readers=1'] },
  ])('on the local file system, pages made $where', async ({ settings }) => {
    await keepAndBringBack(settings, '')
  })
})

describeHdfs('the trash of the pages on a real HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  test.each([{ mount: '' }, { mount: '/far' }])('at "$mount"', async ({ mount }) => {
    const far = [{ path: '/far', url: namenodeUrl, webhdfs: [webhdfsUrl] }]
    const settings =
      mount === ''
        ? [`namenode.url=${namenodeUrl}`, `namenode.webhdfs.url=${webhdfsUrl}`]
        : [`clusters=${JSON.stringify(far)}`]
    await keepAndBringBack(settings, mount)
  })
})
