/** Styles of the plan page, light or dark by the reader's preference. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--line:#d8dee4;--text:#1c2128;--dim:#57606a;--focus:#0969da;
--create:#1a6e31;--update:#7d4e00;--move:#0b5f70;--adopt:#0b5f70;--restore:#0a58b8;--relabel:#6b3fc0;--deliver:#0a58b8;--forget:#b3202c;
--del:#ffdcd9;--ins:#cdf5d6;--error:#b3202c;--warning:#7d4e00}
@media screen and (prefers-color-scheme:dark){:root{--back:#0d1117;--card:#161b22;--line:#30363d;--text:#e6edf3;--dim:#9ba5b0;--focus:#58a6ff;
--create:#56d364;--update:#e3b341;--move:#56d4dd;--adopt:#56d4dd;--restore:#79b8ff;--relabel:#c8a8ff;--deliver:#79b8ff;--forget:#ff8f87;
--del:#67262a;--ins:#17522b;--error:#ff8f87;--warning:#e3b341}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
main,header{max-width:1080px;margin:0 auto;padding:0 20px}
header{padding-top:36px}
h1{font-size:15px;font-weight:600;letter-spacing:.02em;color:var(--dim);margin:0 0 6px}
.lead{font-size:26px;line-height:1.25;font-weight:650;margin:0 0 6px;text-wrap:balance}
.about{color:var(--dim);margin:0 0 4px}
code,.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em}
.problems{list-style:none;margin:20px 0 0;padding:0;border:1px solid var(--line);border-radius:10px;background:var(--card);overflow:hidden}
.problems li{padding:10px 16px 10px 13px;border-left:3px solid var(--error)}
.problems li+li{border-top:1px solid var(--line)}
.problems .warning{border-left-color:var(--warning)}
.problems b{color:var(--error)}.problems .warning b{color:var(--warning)}
.problems p{margin:2px 0 0;color:var(--dim)}
.bar{position:sticky;top:0;z-index:3;display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;padding:12px 20px;margin:20px -20px 6px;background:var(--back);border-bottom:1px solid var(--line)}
.chips{display:flex;flex-wrap:wrap;gap:6px}
button,select,input[type=search],.views label{font:inherit;font-size:13.5px;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:8px;padding:5px 11px;min-height:34px}
button{cursor:pointer;white-space:nowrap}
button[aria-pressed=true]{background:var(--text);border-color:var(--text);color:var(--back)}
input[type=search]{flex:1 1 180px;min-width:0}
select{min-width:0;max-width:100%}
.look{display:flex;flex:1 1 340px;flex-wrap:wrap;gap:8px;min-width:0}
.views{display:flex;flex-wrap:wrap;border:0;margin:0;padding:0;min-width:0}
.views legend,.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.views label{cursor:pointer;border-radius:0;margin-left:-1px;position:relative}
.views label:first-of-type{border-radius:8px 0 0 8px}.views label:last-of-type{border-radius:0 8px 8px 0}
.views input{position:absolute;opacity:0}
.views label:has(:checked){background:var(--text);color:var(--back);border-color:var(--text)}
:focus-visible,.views label:has(:focus-visible){outline:2px solid var(--focus);outline-offset:2px}
#count{color:var(--dim);margin:8px 0 12px;font-size:13.5px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px;margin:0 0 12px;content-visibility:auto;contain-intrinsic-size:auto 120px}
.card[hidden]{display:none}
.top{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline}
.badge{color:var(--tone);border:1px solid currentColor;border-radius:6px;padding:0 8px;font-size:12.5px;font-weight:600;white-space:nowrap}
.create{--tone:var(--create)}.update{--tone:var(--update)}.move{--tone:var(--move)}.adopt{--tone:var(--adopt)}.restore{--tone:var(--restore)}
.relabel{--tone:var(--relabel)}.deliver{--tone:var(--deliver)}.forget{--tone:var(--forget)}
h2{font-size:15.5px;margin:0;font-weight:650}
.title{flex:1 1 240px}
.why{color:var(--dim);margin:4px 0 0;font-size:14px}
.note{display:inline-block;margin:10px 0 0;font-size:13px;color:var(--dim);border:1px dashed var(--line);border-radius:6px;padding:1px 9px}
summary{cursor:pointer;color:var(--dim);font-size:13.5px;margin-top:10px;width:max-content;max-width:100%}
.wide{overflow-x:auto;margin-top:10px}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:7px 14px 7px 0;border-top:1px solid var(--line);min-width:110px}
thead th{border-top:0;color:var(--dim);font-weight:500;font-size:12.5px;padding:0 14px 4px 0}
tbody th{font-weight:500;width:22%}
td{width:39%}
td:first-of-type{color:var(--dim)}
del{background:var(--del);color:var(--text);text-decoration-thickness:1px;border-radius:3px}ins{background:var(--ins);color:var(--text);text-decoration:none;border-radius:3px}
.none{color:var(--dim);font-style:italic}
.swatch{width:13px;height:13px;vertical-align:-2px;margin-right:7px;border-radius:3px;border:1px solid var(--line)}
.still{margin:14px 0 0}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:10px;position:relative;max-width:100%}
figure{margin:0;min-width:0}
figure img,figure video{display:block;width:100%;height:auto;max-height:420px;object-fit:contain;background:#8882;border-radius:6px}
figcaption,.at{font-size:12.5px;color:var(--dim);margin:4px 0 0}
.cut{display:none}
.still .pair>figure:only-child{grid-column:1}
input[type=range]{accent-color:var(--focus);width:100%;min-height:26px;margin:2px 0 0}
[data-view=slider] .both,[data-view=difference] .both{grid-template-columns:minmax(0,760px)}
[data-view=slider] .both figure,[data-view=difference] .both figure{grid-area:1/1}
[data-view=slider] .both .after img{clip-path:inset(0 0 0 var(--cut,50%))}
[data-view=slider] .both .after figcaption{text-align:right}
[data-view=slider] .both+.cut{display:block;max-width:760px}
[data-view=slider] .both{--x:var(--cut,50%)}
[data-view=slider] .both .line{display:block}
.line{display:none;position:absolute;top:0;bottom:24px;left:min(var(--x),100%);width:2px;background:#fff;box-shadow:0 0 0 1px #0008;pointer-events:none;max-width:2px}
[data-view=slider] .both img,[data-view=difference] .both img{max-height:76vh}
[data-view=slider] .both{max-width:760px}
[data-view=difference] .both{isolation:isolate}
[data-view=difference] .both .after img{mix-blend-mode:difference}
[data-view=difference] .both figcaption{visibility:hidden}
.controls{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;margin-top:8px}
.controls button{min-width:9.5em}.controls label{flex:1 1 120px}.controls .sound{flex:none;max-width:100%}
.alike{margin:20px 0 0;border:1px solid var(--line);border-radius:10px;background:var(--card);padding:3px 16px}
.alike p,.alike details{margin:0;padding:8px 0}.alike *+p,.alike *+details{border-top:1px solid var(--line)}
.alike{font-size:14px}.alike summary{margin:0;color:var(--text);width:auto;font-size:inherit}.alike p{padding-left:16px}.alike .why{margin-left:6px;font-size:13.5px}.alike a{font-weight:600}
a{color:var(--focus)}
.folders ul{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:14px 0 0;padding:0;font-size:13.5px;color:var(--dim)}
.card{scroll-margin-top:76px}.card:target{border-color:var(--focus);box-shadow:0 0 0 1px var(--focus)}
.restores{margin:20px 0 0;font-size:14px;overflow-wrap:anywhere}.restores summary{margin:0;width:auto}.restores p{margin:10px 0 0}
.sheet{margin:20px 0 0}.sheet summary{margin:0}.sheet img{max-width:100%;height:auto;border-radius:8px;margin-top:8px}
tr.scene td{color:var(--dim)}tr.in-scene th{padding-left:18px}
footer{max-width:1080px;margin:0 auto;padding:18px 20px 48px;color:var(--dim);font-size:13px}
@media(max-width:560px){.lead{font-size:21px}header{padding-top:22px}.bar{position:static}table,tbody,tr,th,td,thead{display:block;width:auto}thead{display:none}
tbody th,tbody td{width:auto}tbody th{border-top:1px solid var(--line);padding-bottom:0}td{border-top:0;padding:2px 0 2px 12px;border-left:2px solid var(--del)}td+td{border-left-color:var(--ins);margin-top:4px}tr.scene td{border-left-color:transparent}tbody tr{padding-bottom:9px;display:block}.heard .pair{grid-template-columns:minmax(0,1fr)}}
@media print{.bar,.cut,.controls,.folders{display:none!important}.card{break-inside:avoid;content-visibility:visible}details::details-content{content-visibility:visible;block-size:auto}
:root{color-scheme:light;--back:#fff}del,ins,.swatch{print-color-adjust:exact}}
`;

/** Hides the controls that need the script. */
export const PLAIN_STYLE = '.bar,.controls{display:none}';
