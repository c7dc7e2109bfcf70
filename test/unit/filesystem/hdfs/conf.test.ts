import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { findDemands, findProtections } from '../../../../src/filesystem/hdfs/conf/demands.ts'
import { readHadoopConf } from '../../../../src/filesystem/hdfs/conf/hadoop-conf.ts'
import { findNameNodes } from '../../../../src/filesystem/hdfs/conf/name-nodes.ts'
import { maxConfigurationLength, parseProperties } from '../../../../src/filesystem/hdfs/conf/parse-properties.ts'

const parse = (inner: string) =>
  Object.fromEntries(parseProperties(`<?xml version="1.0"?>\n<configuration>${inner}</configuration>\n`, 'a.xml'))
const property = (name: string, value: string) => `<property><name>${name}</name><value>${value}</value></property>`

describe('a file of properties', () => {
  test.for<readonly [string, Record<string, string>]>([
    ['', {}],
    [property('a', 'b'), { a: 'b' }],
    [property(' a\n', '\n b c '), { a: 'b c' }],
    [`${property('a', 'b')}\n<!-- ${property('a', 'x')} -->`, { a: 'b' }],
    [property('a', '1') + property('a', '2'), { a: '2' }],
    [property('a', '&lt;&amp;amp;&#65;&#x42;&quot;&apos;&gt;'), { a: '<&amp;AB"\'>' }],
    [property('a', 'x<![CDATA[<&y>]]>z'), { a: 'x<&y>z' }],
    [
      '<property><value>b</value><description>for <b>all</b></description><name>a</name><final>true</final></property>',
      { a: 'b' },
    ],
    ['<property><name>a</name><value/></property>', { a: '' }],
    ['<property><name>a</name></property><property><value>b</value></property>', {}],
    ['<property a="1>" b=\'"\'><name>a</name><value>b</value></property>', { a: 'b' }],
    ['<property><name>constructor</name><value>x</value><constructor>y</constructor></property>', { constructor: 'x' }],
  ])('%s', ([inner, want]) => {
    expect(Object.entries(parse(inner))).toEqual(Object.entries(want))
  })

  test.for([
    ['', /a\.xml.*ends within <configuration>/, '<configuration>'],
    ['another root', /<html>, where <configuration> was expected/, '<html></html>'],
    ['text around', /text outside/, 'x<configuration></configuration>'],
    ['a page', /what is no XML/, '<!DOCTYPE html><configuration/>'],
    ['an entity', /&x;, which stands for nothing/, `<configuration>${property('a', '&x;')}</configuration>`],
    ['half an entity', /&, which stands for nothing/, `<configuration>${property('a', '& b')}</configuration>`],
    ['crossed elements', /<\/b>, which was not open/, '<configuration><a></b></a></configuration>'],
    ['an inclusion', /includes another file/, '<configuration><xi:include href="/etc/passwd"/></configuration>'],
    ['a comment without an end', /no XML/, '<configuration><!-- </configuration>'],
    ['depth', /nested too deeply/, `<configuration>${'<a>'.repeat(100)}`],
    ['length', /longer than any/, `<configuration>${' '.repeat(maxConfigurationLength)}`],
  ] as const)('%s is refused, with the place', ([, message, text]) => {
    expect(() => parseProperties(text, 'a.xml')).toThrow(message)
    expect(() => parseProperties(text, 'a.xml')).toThrow(FormatError)
  })
})

const ref = (name: string): string => `$\{${name}}`

/** A directory of configuration, gone when the test is. */
const directoryWith = async (files: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-conf-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  for (const [name, properties] of Object.entries(files)) {
    const all = Object.entries(properties).map(([key, value]) => property(key, value))
    await writeFile(join(directory, name), `<configuration>${all.join('')}</configuration>`)
  }
  return directory
}

describe('a directory', () => {
  test('the site of HDFS counts, and properties refer to each other', async () => {
    const directory = await directoryWith({
      'core-site.xml': { a: '1', b: 'core', c: `${ref('d')}:${ref('none')}`, d: ref('b'), e: `${ref('e')}x`, f: '' },
      'hdfs-site.xml': { b: 'hdfs' },
    })
    const { get } = await readHadoopConf(directory)
    expect(['a', 'b', 'c', 'none', 'f'].map(get)).toEqual(['1', 'hdfs', `hdfs:${ref('none')}`, undefined, undefined])
    expect(get('e')?.length).toBeLessThan(100)
  })

  test('without either file it is refused, and says where', async () => {
    await expect(readHadoopConf('/nowhere')).rejects.toThrow(
      'Cannot use /nowhere: expected core-site.xml or hdfs-site.xml in it',
    )
  })

  test('a file of another form is named', async () => {
    const directory = await directoryWith({ 'core-site.xml': { a: '1' } })
    await writeFile(join(directory, 'hdfs-site.xml'), 'no')
    await expect(readHadoopConf(directory)).rejects.toThrow(`${directory}/hdfs-site.xml`)
  })
})

const conf = (properties: Readonly<Record<string, string>>) => ({
  directory: '/conf',
  get: (name: string) => properties[name],
})

describe('demands', () => {
  const kerberos = { 'hadoop.security.authentication': 'kerberos' }
  const strict = {
    'hadoop.rpc.protection': 'privacy',
    'dfs.data.transfer.protection': ' Integrity,privacy',
    'dfs.encrypt.data.transfer': 'true',
  }

  test.for<readonly [string, Readonly<Record<string, string>>, boolean, readonly string[], number]>([
    ['nothing where nothing is said', kerberos, true, [], 0],
    ['all that is said', { ...kerberos, ...strict }, false, ['auth-conf', 'auth-int,auth-conf', 'auth-conf'], 3],
    ['all, where there is a token', strict, true, ['auth-conf', 'auth-int,auth-conf', 'auth-conf'], 3],
    ['encryption alone, where nobody has to prove anything', strict, false, ['auth-conf'], 1],
    ['the proof alone', { ...kerberos, 'hadoop.rpc.protection': 'authentication' }, false, ['auth'], 0],
    ['nothing of a word that is false', { 'dfs.encrypt.data.transfer': 'false' }, true, [], 0],
  ])('%s', ([, properties, isSecure, want, protections]) => {
    const demands = findDemands(conf(properties), isSecure)
    const { calls, bytes, encryption } = demands
    expect([calls, bytes, encryption].flatMap(one => one?.qops.join() ?? [])).toEqual(want)
    expect(findProtections(demands)).toHaveLength(protections)
  })

  test('a protection that Hadoop does not have is refused', () => {
    expect(() => findDemands(conf({ 'hadoop.rpc.protection': 'none' }), true)).toThrow(
      'Cannot use hadoop.rpc.protection "none" in /conf: expected some of authentication, integrity, privacy',
    )
  })
})

describe('name nodes', () => {
  const pair = {
    'dfs.nameservices': 'other, prod',
    'dfs.ha.namenodes.prod': 'nn1, nn2',
    'dfs.namenode.rpc-address.prod.nn1': 'a:9000',
    'dfs.namenode.rpc-address.prod.nn2': 'b',
    'dfs.namenode.http-address.prod.nn1': '0.0.0.0:5000',
  }
  const rpc = [
    { host: 'a', port: 9000 },
    { host: 'b', port: 8020 },
  ]

  test('of a name service are at the addresses of the configuration', () => {
    expect(findNameNodes(['prod'], [], conf(pair))).toEqual({
      addresses: rpc,
      webhdfs: ['http://a:5000', 'http://b:9870'],
    })
    expect(findNameNodes(['prod'], ['http://c:1'], conf(pair)).webhdfs).toEqual(['http://c:1'])
    const https = { ...pair, 'dfs.http.policy': 'HTTPS_ONLY', 'dfs.namenode.https-address.prod.nn2': 'b:1' }
    expect(findNameNodes(['prod'], [], conf(https)).webhdfs).toEqual(['https://a:9871', 'https://b:1'])
  })

  test('of a name service with a single one', () => {
    const single = { 'dfs.nameservices': 'one', 'dfs.namenode.rpc-address.one': '[::1]:1' }
    expect(findNameNodes(['one'], [], conf(single))).toEqual({
      addresses: [{ host: '::1', port: 1 }],
      webhdfs: ['http://[::1]:9870'],
    })
  })

  test('are those of the URL otherwise', () => {
    for (const known of [undefined, conf(pair)]) {
      expect(findNameNodes(['a:9000', 'b'], ['http://x:1'], known)).toEqual({ addresses: rpc, webhdfs: ['http://x:1'] })
      expect(findNameNodes(['n'], [], known)).toEqual({
        addresses: [{ host: 'n', port: 8020 }],
        webhdfs: ['http://n:9870'],
      })
    }
  })

  test.for([
    [{ 'dfs.namenode.rpc-address.prod.nn2': '' }, /expected dfs\.namenode\.rpc-address\.prod\.nn2 in \/conf/],
    [{ 'dfs.namenode.rpc-address.prod.nn1': 'a b' }, /Cannot use "a b" as the address of a name node/],
  ] as const)('%j is refused', ([change, message]) => {
    const { get } = conf({ ...pair, ...change })
    expect(() => findNameNodes(['prod'], [], { directory: '/conf', get: name => get(name) || undefined })).toThrow(
      message,
    )
  })
})
