import { expect, test } from 'vitest'
import { describeSecureTools } from './hadoop-tools.ts'

await describeSecureTools("Hadoop's shell with tickets", (hdfs, start) => {
  test.for(['hdfs', 'webhdfs'] as const)('writes by %s what only the owner reads', async (scheme, context) => {
    const url = scheme === 'hdfs' ? hdfs.namenodeUrl : hdfs.webhdfsUrl.replace('http', 'webhdfs')
    const [alice, bob] = await Promise.all([start('alice'), start('bob')])
    const file = `${url}/shell-${scheme}-${process.pid}-${context.task.result?.retryCount ?? 0}`
    expect(await alice.run('fs', ['-put', '-', file], 'content')).toMatchObject({ code: 0, err: '' })
    expect(await alice.run('fs', ['-chmod', '600', file])).toMatchObject({ code: 0 })
    expect(await alice.run('fs', ['-cat', file])).toMatchObject({ code: 0, out: Buffer.from('content') })
    expect(await bob.run('fs', ['-cat', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Permission denied: user=bob'),
    })
  })
})
