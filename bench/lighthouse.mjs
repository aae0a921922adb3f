// What Lighthouse says of pages of a running site, in both themes: the best of three runs of each.
//
//   npm install --prefix /tmp/lighthouse lighthouse
//   cp bench/lighthouse.mjs /tmp/lighthouse && node /tmp/lighthouse/lighthouse.mjs http://127.0.0.1:8000 [USER PASSWORD] PATH...
//
// A path may come with "@" before it: then it is asked for as the account given. CHROME_PATH names the browser.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const RUNS = 3;
const THEMES = ["light", "dark"];
const [base, ...rest] = process.argv.slice(2);
const paths = rest.filter((each) => /^@?\//.test(each));
const [username, password] = rest.filter((each) => !paths.includes(each));

async function logIn() {
  const cookies = (answer) => answer.headers.getSetCookie().map((each) => each.split(";")[0]);
  const page = await fetch(`${base}/accounts/login/`);
  const token = (await page.text()).match(/name="csrf_token" value="([^"]+)"/)[1];
  const answer = await fetch(`${base}/accounts/login/`, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: cookies(page).join("; "), Origin: base, Referer: `${base}/accounts/login/` },
    body: new URLSearchParams({ csrf_token: token, username, password, next: "/" }),
  });
  if (answer.status !== 303) throw new Error(`Logging in was answered with ${answer.status}.`);
  return cookies(answer);
}

const session = username ? await logIn() : [];
const chrome = await launch({ chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"] });
console.log("| page | theme | performance | accessibility | best practices | SEO | FCP | LCP | CLS | page, KB |");
console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const each of paths) {
  const path = each.replace("@", "");
  for (const theme of THEMES) {
    const cookies = [`theme=${theme}`, ...(each.startsWith("@") ? session : [])];
    let best;
    for (let run = 0; run < RUNS; run += 1) {
      const { lhr } = await lighthouse(base + path, {
        port: chrome.port,
        logLevel: "error",
        extraHeaders: { Cookie: cookies.join("; ") },
      });
      if (lhr.runtimeError) throw new Error(`${path}: ${lhr.runtimeError.message}`);
      if (!best || lhr.categories.performance.score > best.categories.performance.score) best = lhr;
      if (best.categories.performance.score === 1) break;
    }
    const scores = ["performance", "accessibility", "best-practices", "seo"];
    const shown = (name) => best.audits[name].displayValue.replace(/\s/g, " ");
    const page = best.audits["network-requests"].details.items.find((item) => item.resourceType === "Document");
    console.log(
      `| ${path} | ${theme} | ${scores.map((name) => Math.round(best.categories[name].score * 100)).join(" | ")}`,
      `| ${shown("first-contentful-paint")} | ${shown("largest-contentful-paint")}`,
      `| ${shown("cumulative-layout-shift")} | ${Math.round(page.resourceSize / 1000)} |`,
    );
    for (const name of scores) {
      for (const { id, weight } of best.categories[name].auditRefs) {
        const audit = best.audits[id];
        if (weight && audit.score !== null && audit.score < 0.9) console.error(`  ${name}: ${id} ${audit.displayValue ?? audit.title}`);
      }
    }
  }
}
await chrome.kill();
