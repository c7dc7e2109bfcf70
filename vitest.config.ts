import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // What a person waits for: files share their workers, and so the modules that are loaded.
        test: { name: 'unit', include: ['test/{unit,contract}/**/*.test.ts'], isolate: false },
      },
      { extends: true, test: { name: 'system', include: ['test/{integration,model,fuzz}/**/*.test.ts'] } },
      // Where software of others is what is tried.
      { extends: true, test: { name: 'interop', include: ['test/interop/**/*.test.ts'] } },
      // What people install, and where they run it.
      { extends: true, test: { name: 'packaging', include: ['test/packaging/**/*.test.ts'] } },
      // What the documents tell people to type.
      { extends: true, test: { name: 'docs', include: ['test/docs/**/*.test.ts'] } },
    ],
    globalSetup: ['test/setup/clusters.ts'],
    // Where no locale is set, Java and Chromium take ASCII for the text of sources and the names of files.
    env: process.env['LC_ALL'] || process.env['LANG'] ? {} : { LC_ALL: 'C.UTF-8' },
    // On two cores one would be left for a person at the keyboard, and tests that wait for servers would wait alone.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The native runner: tests and the processes they start then see the same source text, so coverage adds up.
    experimental: { viteModuleRunner: false },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text', 'json-summary'],
      autoAttachSubprocess: true,
    },
  },
})
