import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toFailure } from '../../../../admin/cli/command/failure.ts'
import type { GatewayCalls } from '../../../../admin/cli/files/gateway.ts'
import { isPartName } from '../../../../admin/cli/files/local-path.ts'
import { downloadTo, uploadFrom } from '../../../../admin/cli/files/transfer.ts'
import { createDirectory } from '../spool-dirs.ts'

/** A gateway that gives one answer, and keeps what it was asked. */
const gatewayOf = (answer: () => Response) => {
  const asked: Parameters<GatewayCalls['call']>[] = []
  const call: GatewayCalls['call'] = async (...request) => {
    asked.push(request)
    return answer()
  }
  return { asked, gateway: { call, send: call } }
}

const once = { overwrite: false, maxResumes: 0 }

describe('download', () => {
  test('an answer that breaks off leaves nothing under the name, and says so', async () => {
    const directory = await createDirectory()
    const body = new ReadableStream({
      start: controller => controller.enqueue(Buffer.from('ab')),
      pull: controller => controller.error(new Error('reset')),
    })
    const { gateway } = gatewayOf(() => new Response(body))
    const error = await downloadTo(gateway, '/x', join(directory, 'x'), once).catch((one: unknown) => one)
    expect(toFailure(error)).toEqual({ code: 'broken', message: 'The answer broke off', exitCode: 1 })
    expect(readdirSync(directory).filter(name => !isPartName(name))).toEqual([])
  })

  test('fewer bytes than announced give no file; the next call resumes', async () => {
    const directory = await createDirectory()
    const headers = { 'content-length': '3', etag: '"1"' }
    const short = gatewayOf(() => new Response('ab', { headers }))
    await expect(downloadTo(short.gateway, '/x', join(directory, 'x'), once)).rejects.toMatchObject({ code: 'broken' })
    expect(readdirSync(directory).filter(name => !isPartName(name))).toEqual([])
    const rest = gatewayOf(() => new Response('c', { status: 206, headers: { 'content-length': '1', etag: '"1"' } }))
    await downloadTo(rest.gateway, '/x', join(directory, 'x'), once)
    expect(rest.asked).toMatchObject([
      ['/rest/1.0/binary', { path: '/x' }, { headers: { range: 'bytes=2-', 'if-range': '"1"' } }],
    ])
    expect(readdirSync(directory)).toEqual(['x'])
    expect(readFileSync(join(directory, 'x'), 'utf8')).toBe('abc')
  })

  test('an empty file is one', async () => {
    const directory = await createDirectory()
    const { gateway } = gatewayOf(() => new Response(null))
    expect(await downloadTo(gateway, '/dir/x', `${directory}/`, once)).toMatchObject({ size: 0 })
    expect(readFileSync(join(directory, 'x'), 'utf8')).toBe('')
  })
})

describe('upload', () => {
  test('a target that ends in / takes the name of the file', async () => {
    const file = join(await createDirectory(), 'words.txt')
    writeFileSync(file, 'ab')
    const { gateway, asked } = gatewayOf(() => Response.json({ path: '/data/words.txt', size: 2 }))
    expect(await uploadFrom(gateway, file, '/data/', { overwrite: true })).toMatchObject({ size: 2 })
    expect(asked).toMatchObject([['/rest/1.0', { path: '/data/words.txt', overwrite: true }, { method: 'POST' }]])
  })

  test('needs a file, and a name for standard input', async () => {
    const { gateway, asked } = gatewayOf(() => Response.json({}))
    expect(existsSync('/nonexistent')).toBe(false)
    await expect(uploadFrom(gateway, '/nonexistent', '/x', {})).rejects.toMatchObject({ exitCode: 2 })
    await expect(uploadFrom(gateway, '-', '/data/', {})).rejects.toMatchObject({ exitCode: 2 })
    expect(asked).toEqual([])
  })
})
