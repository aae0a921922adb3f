// The service worker of the scanner: answers for the page and its files when there is no connection.
// Nothing of a reader's is stored: neither the page itself nor what it looks up.
const CACHE = `scan-${VERSION}`;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([SHELL, ...FILES])));
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("scan-") && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate" && pathname === PAGE) {
    event.respondWith(fetch(request).catch(() => caches.match(SHELL, { ignoreVary: true })));
  } else if (FILES.includes(pathname)) {
    event.respondWith(caches.match(pathname, { ignoreVary: true }).then((kept) => kept ?? fetch(request)));
  }
});
