/** Machines that are lost while their cluster requires a ticket or a token, and tokens live for seconds. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type SecureCluster, startSecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import { type Kdc, startKdc } from '../../scripts/kerberos/kdc.ts'
import { fleetCluster, startThree } from '../fleet/cluster.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openPatientStore } from '../fleet/patient-store.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { clockSkewSeconds, createRealm, ticketLifeSeconds, tokenLives } from '../oracle/realm.ts'
import { missingForRealm, tokenLifeMs } from '../oracle/stage.ts'
import { describeUnless } from '../suites/kerberos.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'

/** Each of these loses its machine once; a release run takes all three. */
const places = [0, 1, 2].slice(0, Number(process.env['SLUICE_TEST_LOST_MACHINES'] ?? 2))
const eventsBetween = 100

const missing = process.env['SLUICE_NO_HDFS']
  ? 'SLUICE_NO_HDFS is set'
  : ((await missingForHdfs()) ?? (await missingForRealm()))

describeUnless(missing, 'three collectors before a secure cluster', () => {
  let kdc: Kdc
  let cluster: SecureCluster
  let fleet: Fleet | undefined
  beforeAll(async () => {
    kdc = await startKdc({ ticketLifeSeconds, clockSkewSeconds })
    const properties = { ...fleetCluster.properties, ...tokenLives(tokenLifeMs, 3 * tokenLifeMs) }
    cluster = await startSecureCluster({ ...fleetCluster, kdc, properties })
  })
  afterAll(async () => {
    await fleet?.close()
    await cluster?.stop()
    await kdc?.stop()
  })

  test('R26: machine, disk and a DataNode lost at the same moment, while tickets and tokens end', {
    timeout: 600_000,
  }, async () => {
    const realm = createRealm(kdc, cluster)
    fleet = await startThree({
      cluster,
      outputDirectory: '/lost',
      openStore: async () =>
        openPatientStore([() => openHdfsStore(cluster.webhdfsUrl, async () => ({ delegation: await realm.token() }))]),
      settings: () => [`namenode.kerberos.principal=${realm.principal}`, `namenode.kerberos.keytab=${realm.keytab}`],
      env: { KRB5_CONFIG: kdc.krb5Config },
    })
    fleet.load()
    const seconds: number[] = []
    for (const place of places) {
      await fleet.acknowledged(eventsBetween)
      const lost = fleet.machines[place] ?? expect.unreachable()
      await Promise.all([cluster.stopDataNode(place), lost.lose()])
      const adding = fleet.add(place)
      seconds.push((await fleet.takenOver(lost)).seconds)
      await adding
      await cluster.startDataNode(place)
    }
    const { verdict, problems, found } = await fleet.finish()
    expect({ verdict, problems }).toEqual({ verdict: allIsWell, problems: [] })
    console.log(
      `lost machines, with Kerberos: ${fleet.client.acknowledged.size} events acknowledged, ${found} found, none lost, none twice; committed by another collector after ${seconds.map(one => one.toFixed(1)).join(', ')} s`,
    )
  })
})
