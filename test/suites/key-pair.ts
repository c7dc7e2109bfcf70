import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyPair } from '../../src/http/edge/tls.ts'

/** A self-signed certificate for `localhost`, with its key. */
export const createKeyPair = (): KeyPair => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-keys-'))
  try {
    const [key, cert] = [join(directory, 'key'), join(directory, 'cert')]
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    const { status, stderr } = spawnSync('openssl', [...args, '-subj', '/CN=localhost', '-keyout', key, '-out', cert])
    if (status !== 0) throw new Error(`openssl: ${String(stderr)}`)
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
