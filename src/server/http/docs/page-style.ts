import { createHash } from 'node:crypto';

/** The style of the API page. Colours are named once for light and once for dark. */
export const PAGE_STYLE = `
:root{--paper:#fff;--ink:#1b1d22;--soft:#5b616e;--line:#e4e6eb;--tint:#f6f7f9;--link:#3b4fd8;--code:#14161c;--code-ink:#e4e7ef;--code-soft:#98a0b3;
--green:#0a7a4b;--blue:#2554c7;--amber:#9a5b00;--red:#b3261e;--violet:#6d3fc4;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--paper:#101217;--ink:#e6e8ee;--soft:#a0a7b6;--line:#262a33;--tint:#171a21;--link:#97a6ff;--code:#0a0c10;
--green:#55cf98;--blue:#86a9ff;--amber:#e8b255;--red:#ff8d85;--violet:#bd9bff}}
*{box-sizing:border-box}
html{scroll-padding-top:1.5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;display:grid;grid-template-columns:17.5rem minmax(0,1fr)}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
a:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
code,pre{font:.875em/1.6 ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
p{margin:.6em 0;max-width:44rem}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;z-index:2;background:var(--paper);padding:.5rem 1rem}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;border-right:1px solid var(--line);padding:1.6rem 1rem 3rem 1.4rem;font-size:.875rem;line-height:1.4;scrollbar-width:thin}
#contents,nav label{display:none}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:flex;justify-content:space-between;gap:.5rem;align-items:baseline;color:var(--soft);padding:.28rem .5rem;border-radius:6px}
nav a:hover{background:var(--tint);color:var(--ink);text-decoration:none}
nav .group{margin-top:1.15rem}nav .group>a{color:var(--ink);font-weight:600}
nav .method{font-size:.625rem;background:none!important;padding:0;min-width:0}
main{padding:0 clamp(1.2rem,3.2vw,3.5rem) 6rem;max-width:96rem}
header{padding:3.2rem 0 1rem}
h1{font-size:clamp(1.8rem,1.2rem + 2vw,2.6rem);line-height:1.15;letter-spacing:-.025em;margin:0 0 .8rem;text-wrap:balance}
header p{font-size:1.0625rem;color:var(--soft)}
.facts{display:flex;gap:1.2rem;font-size:.875rem!important}
h2{font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;margin:0 0 .4rem}
h3{font-size:1.125rem;line-height:1.35;margin:0 0 .4rem}
h4{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.8rem 0 .2rem;font-weight:600}
h2 a,h3 a{color:inherit}
.topic,.operation{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,29rem);gap:1.5rem 3rem;padding:2.2rem 0;border-top:1px solid var(--line)}
.operation:target h3 a,.object:target h3 a,tr:target code{background:color-mix(in srgb,var(--link) 18%,transparent);box-shadow:0 0 0 .25rem color-mix(in srgb,var(--link) 18%,transparent);border-radius:2px}
.group{padding-top:3.4rem}.group p{color:var(--soft);margin:0 0 1.6rem}
nav .group{padding-top:0}
.examples{position:sticky;top:1.5rem;align-self:start;display:grid;gap:1rem;min-width:0}
.call{display:flex;gap:.6rem;align-items:baseline;margin:.2rem 0 .8rem}.call em{font-style:normal;color:var(--violet)}.call code{overflow-wrap:anywhere}
.method{font:600 .75rem/1.2 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;padding:.25em .5em;border-radius:5px;color:var(--tone);background:color-mix(in srgb,var(--tone) 13%,transparent)}
.get,.head{--tone:var(--blue)}.post{--tone:var(--green)}.delete{--tone:var(--red)}.put,.patch{--tone:var(--amber)}
.access{font-size:.875rem;color:var(--soft)}
p code,td code,.name>code,.values code{background:var(--tint);border:1px solid var(--line);border-radius:4px;padding:.06em .32em;overflow-wrap:anywhere}
.call code{background:none;border:0;padding:0;font-size:.9375rem}
.fields{list-style:none;margin:.3rem 0 0;padding:0}
.fields>li{padding:.7rem 0;border-top:1px solid var(--line)}.fields>li:first-child{border-top:0}
.fields .fields{margin:.6rem 0 0 .2rem;padding-left:1rem;border-left:2px solid var(--line)}
.fields p{margin:.2rem 0 0;font-size:.9375rem;color:var(--soft)}
.name{display:flex;flex-wrap:wrap;gap:.15rem .6rem;align-items:baseline}.name>code{font-weight:600}
.type,.place{font-size:.8125rem;color:var(--soft)}.must,.may{font-size:.75rem;color:var(--amber)}.may{color:var(--soft);font-style:italic}
.place::before{content:"in "}
.values{display:flex;flex-wrap:wrap;gap:.3rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.55rem .8rem .55rem 0;border-top:1px solid var(--line);font-weight:400}
tr:first-child>*{border-top:0}
.answers th{width:3.6rem}.answers p{margin:0;font-size:.9375rem}.answers p+p{margin-top:.3rem}.answers .also{margin-top:.3rem;font-size:.8125rem;display:flex;flex-wrap:wrap;gap:.3rem}
.status{font:600 .8125rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--tone)}
.s2{--tone:var(--green)}.s3{--tone:var(--blue)}.s4{--tone:var(--amber)}.s5{--tone:var(--red)}
.shape{color:var(--soft)}
.object{padding:1.6rem 0;border-top:1px solid var(--line);max-width:54rem}
.codes{max-width:60rem}
.code{margin:0;background:var(--code);color:var(--code-ink);border-radius:10px;overflow:hidden;border:1px solid var(--line)}
.code figcaption{font-size:.75rem;color:var(--code-soft);padding:.55rem 1rem;border-bottom:1px solid #ffffff17}
.code pre{margin:0;padding:.9rem 1rem;overflow:auto;max-height:32rem;font-size:.78rem;line-height:1.55;scrollbar-width:thin;scrollbar-color:#3a4050 transparent}
.code pre code{font-size:1em}
.code i{font-style:normal}.code .k{color:#9db4ff}.code .s{color:#a5dcb4}.code .n{color:#f0c27d}.code .w{color:#d9a8ff}.code .c{color:var(--code-soft)}
@media (max-width:1180px){.topic,.operation{grid-template-columns:minmax(0,1fr)}.examples{position:static;max-width:44rem}}
@media (max-width:820px){body{display:block;font-size:15.5px}nav{position:static;height:auto;max-height:none;border-right:0;border-bottom:1px solid var(--line);padding:1rem 1.2rem}
nav{padding:.7rem 1.2rem}nav label{display:flex;justify-content:space-between;font-weight:600;padding:.3rem .5rem;cursor:pointer}nav label::after{content:"+"}
#contents{display:block;position:absolute;opacity:0;pointer-events:none}#contents:focus-visible+label{outline:2px solid var(--link);border-radius:3px}#contents:checked+label::after{content:"–"}#contents:not(:checked)~ul{display:none}#contents:checked~ul{padding:.4rem 0 1rem}
header{padding-top:2rem}.group{padding-top:2.4rem}.fields .fields{padding-left:.8rem}
.codes tr{display:grid;grid-template-columns:1fr auto;padding:.6rem 0;border-top:1px solid var(--line)}.codes th,.codes td{border:0;padding:0}.codes td:last-child{grid-column:1/-1;font-size:.9375rem;color:var(--soft)}}
@media print{nav,.skip{display:none}body{display:block}.examples{position:static}.code pre{max-height:none}}
`;

/** What a browser may do with the page: show it in its own style, and nothing else. */
export const PAGE_POLICY: Record<string, string[]> = {
  'default-src': ["'none'"],
  'style-src': [`'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
