import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { healthMetrics } from '../../../admin/metrics/health.ts'
import { writeMetrics } from '../../../admin/metrics/text.ts'

/** Self-signed, P-256, until 2046-11-19T02:39:32Z. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIURHzYuxvUnRj93NmFBn6LUmIJ2YwwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOc2x1aWNlLmV4YW1wbGUwHhcNMjYxMTI0MDIzOTMyWhcNNDYx
MTE5MDIzOTMyWjAZMRcwFQYDVQQDDA5zbHVpY2UuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABLRfqfgosENdNl+ETPtwJkTnFFvkWgpTCd7BIiWmOBm7
WvCEaYlfxod/PT/TRcv4ynfWdNEqWjbd3jspAPaZV/WjUzBRMB0GA1UdDgQWBBRJ
AAPhhpwI13/rdgViPXkRBW4NuzAfBgNVHSMEGDAWgBRJAAPhhpwI13/rdgViPXkR
BW4NuzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIDvy93LFXAz/
BDrlsSJt8RYXI9iOs2zVpNVIcAw/m5YjAiBnc3qI18xQCB2XXmKaqiK2SqiihdEn
0tPBECCN9L54Yg==
-----END CERTIFICATE-----
`

const write = (...parts: Parameters<typeof healthMetrics>): string =>
  [...writeMetrics(healthMetrics(...parts))].join('').replace(/^#.*\n|^\n/gm, '')

test('items of the health report are 0, 1 and 2', () => {
  const items = ['OK', 'WARN', 'ERROR'].map(code => ({ type: `The${code}`, code, message: 'x' }))
  expect(write(() => items, {})).toBe(
    'sluice_health{item="TheOK"} 0\nsluice_health{item="TheWARN"} 1\nsluice_health{item="TheERROR"} 2\n',
  )
})

test('the end of a certificate is read each time; a listener without TLS has no value, a bad file NaN', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-certificate-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const server = join(directory, 'tls.crt')
  const ask = () => write(() => [], { server, admin: undefined })
  expect(ask()).toBe('sluice_certificate_expiry_seconds{listener="server"} NaN\n')
  writeFileSync(server, certificate)
  expect(ask()).toBe('sluice_certificate_expiry_seconds{listener="server"} 2426207972\n')
})
