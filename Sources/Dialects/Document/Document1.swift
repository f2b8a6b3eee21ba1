// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part1 = #"""
        {"openapi":"3.1.0","info":{"title":"opencode","version":"1.18.33"},"paths":{"/pty/{ptyID}":{"delete":{"tags":[\#
        "pty"],"operationId":"pty.remove","parameters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern\#
        ":"^pty"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"nam\#
        e":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"S\#
        ession removed","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"Bad reques\#
        t","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"descript\#
        ion":"PtyNotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/PtyNotFoundError\#
        "}}}}},"description":"Remove and terminate a specific pseudo-terminal (PTY) session.","summary":"Remove PTY se\#
        ssion"},"get":{"tags":["pty"],"operationId":"pty.get","parameters":[{"name":"ptyID","in":"path","schema":{"typ\#
        e":"string","pattern":"^pty"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"re\#
        quired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"20\#
        0":{"description":"Session info","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pty"}}}\#
        },"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Bad\#
        RequestError"}}}},"404":{"description":"PtyNotFoundError","content":{"application/json":{"schema":{"$ref":"#/c\#
        omponents/schemas/PtyNotFoundError"}}}}},"description":"Retrieve detailed information about a specific pseudo-\#
        terminal (PTY) session.","summary":"Get PTY session"},"put":{"tags":["pty"],"operationId":"pty.update","parame\#
        ters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern":"^pty"},"required":true},{"name":"direc\#
        tory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"ty\#
        pe":"string"},"required":false}],"responses":{"200":{"description":"Updated session","content":{"application/j\#
        son":{"schema":{"$ref":"#/components/schemas/Pty"}}}},"400":{"description":"BadRequest | InvalidRequestError",\#
        "content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest\#
        "},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"PtyNotFoundError","content":\#
        {"application/json":{"schema":{"$ref":"#/components/schemas/PtyNotFoundError"}}}}},"description":"Update prope\#
        rties of an existing pseudo-terminal (PTY) session.","summary":"Update PTY session","requestBody":{"content":{\#
        "application/json":{"schema":{"type":"object","properties":{"title":{"type":"string"},"size":{"type":"object",\#
        "properties":{"rows":{"type":"integer","exclusiveMinimum":0},"cols":{"type":"integer","exclusiveMinimum":0}},"\#
        required":["rows","cols"],"additionalProperties":false}},"additionalProperties":false}}}}}},"/session/{session\#
        ID}":{"delete":{"tags":["session"],"operationId":"session.delete","parameters":[{"name":"sessionID","in":"path\#
        ","schema":{"type":"string","pattern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"typ\#
        e":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],\#
        "responses":{"200":{"description":"Successfully deleted session","content":{"application/json":{"schema":{"typ\#
        e":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schem\#
        a":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Inva\#
        lidRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#\#
        /components/schemas/NotFoundError"}}}}},"description":"Delete a session and permanently remove all associated \#
        data, including messages and history.","summary":"Delete session"},"get":{"tags":["session"],"operationId":"se\#
        ssion.get","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"required\#
        ":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in"\#
        :"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Get session","conten\#
        t":{"application/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"BadRequest |\#
         InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_H\#
        ttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"NotFou\#
        ndError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"descriptio\#
        n":"Retrieve detailed information about a specific OpenCode session.","summary":"Get session"},"patch":{"tags"\#
        :["session"],"operationId":"session.update","parameters":[{"name":"sessionID","in":"path","schema":{"type":"st\#
        ring","pattern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required\#
        ":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"d\#
        escription":"Successfully updated session","content":{"application/json":{"schema":{"$ref":"#/components/schem\#
        as/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema\#
        ":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Inval\#
        idRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/\#
        components/schemas/NotFoundError"}}}}},"description":"Update properties of an existing session, such as title \#
        or other metadata.","summary":"Update session","requestBody":{"content":{"application/json":{"schema":{"type":\#
        "object","properties":{"title":{"type":"string"},"metadata":{"type":"object"},"permission":{"$ref":"#/componen\#
        ts/schemas/PermissionRuleset"},"time":{"type":"object","properties":{"archived":{"type":"number"}},"additional\#
        Properties":false}},"additionalProperties":false}}}}}},"/agent":{"get":{"tags":["instance"],"operationId":"app\#
        .agents","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"\#
        workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List \#
        of agents","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Agent\#
        "}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schema\#
        s/BadRequestError"}}}}},"description":"Get a list of all available AI agents in the OpenCode system.","summary\#
        ":"List agents"}},"/command":{"get":{"tags":["instance"],"operationId":"command.list","parameters":[{"name":"d\#
        irectory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":\#
        {"type":"string"},"required":false}],"responses":{"200":{"description":"List of commands","content":{"applicat\#
        ion/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Command"}}}}},"400":{"description":"\#
        Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"desc\#
        ription":"Get a list of all available commands in the OpenCode system.","summary":"List commands"}},"/config":\#
        {"get":{"tags":["config"],"operationId":"config.get","parameters":[{"name":"directory","in":"query","schema":{\#
        "type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":fals\#
        e}],"responses":{"200":{"description":"Get config info","content":{"application/json":{"schema":{"$ref":"#/com\#
        ponents/schemas/Config"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref"\#
        :"#/components/schemas/BadRequestError"}}}}},"description":"Retrieve the current OpenCode configuration settin\#
        gs and preferences.","summary":"Get configuration"}},"/config/providers":{"get":{"tags":["config"],"operationI\#
        d":"config.providers","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":fal\#
        se},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"descri\#
        ption":"List of providers","content":{"application/json":{"schema":{"type":"object","properties":{"providers":\#
        {"type":"array","items":{"$ref":"#/components/schemas/Provider"}},"default":{"type":"object","additionalProper\#
        ties":{"type":"string"}}},"required":["providers","default"],"additionalProperties":false}}}},"400":{"descript\#
        ion":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}}\#
        ,"description":"Get a list of all configured AI providers and their default models.","summary":"List config pr\#
        oviders"}},"/event":{"get":{"tags":["event"],"operationId":"event.subscribe","parameters":[{"name":"directory"\#
        ,"in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"\#
        string"},"required":false}],"responses":{"200":{"description":"Event stream","content":{"text/event-stream":{"\#
        schema":{"$ref":"#/components/schemas/Event"}}}}},"description":"Get events","summary":"Subscribe to events"}}\#
        ,"/file":{"get":{"tags":["file"],"operationId":"file.list","parameters":[{"name":"directory","in":"query","sch\#
        ema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required\#
        ":false},{"name":"path","in":"query","schema":{"type":"string"},"required":true}],"responses":{"200":{"descrip\#
        tion":"Files and directories","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/compo\#
        nents/schemas/FileNode"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref\#
        ":"#/components/schemas/BadRequestError"}}}}},"description":"List files and directories in a specified path.",\#
        "summary":"List files"}},"/file/content":{"get":{"tags":["file"],"operationId":"file.read","parameters":[{"nam\#
        e":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","sch\#
        ema":{"type":"string"},"required":false},{"name":"path","in":"query","schema":{"type":"string"},"required":tru\#
        e}],"responses":{"200":{"description":"File content","content":{"application/json":{"schema":{"$ref":"#/compon\#
        ents/schemas/FileContent"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$re\#
        f":"#/components/schemas/BadRequestError"}}}}},"description":"Read the content of a specified file.","summary"\#
        :"Read file"}},"/file/status":{"get":{"tags":["file"],"operationId":"file.status","parameters":[{"name":"direc\#
        tory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"ty\#
        pe":"string"},"required":false}],"responses":{"200":{"description":"File status","content":{"application/json"\#
        :{"schema":{"type":"array","items":{"$ref":"#/components/schemas/File"}}}}},"400":{"description":"Bad request"\#
        ,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Ge\#
        t the git status of all files in the project.","summary":"Get file status"}},"/find/file":{"get":{"tags":["fil\#
        e"],"operationId":"find.files","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"requ\#
        ired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false},{"name":"query","in\#
        ":"query","schema":{"type":"string"},"required":true},{"name":"dirs","in":"query","schema":{"type":"string","e\#
        num":["true","false"]},"required":false},{"name":"type","in":"query","schema":{"type":"string","enum":["file",\#
        "directory"]},"required":false},{"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":\#
        200},"required":false}],"responses":{"200":{"description":"File paths","content":{"application/json":{"schema"\#
        :{"type":"array","items":{"type":"string"}}}}},"400":{"description":"Bad request","content":{"application/json\#
        ":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Search for files or directories\#
         by name or pattern in the project directory.","summary":"Find files"}},"/global/event":{"get":{"tags":["globa\#
        l"],"operationId":"global.event","parameters":[],"responses":{"200":{"description":"Event stream","content":{"\#
        text/event-stream":{"schema":{"$ref":"#/components/schemas/GlobalEvent"}}}},"400":{"description":"Bad request"\#
        ,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Su\#
        bscribe to global events from the OpenCode system using server-sent events.","summary":"Get global events"}},"\#
        /global/health":{"get":{"tags":["global"],"operationId":"global.health","parameters":[],"responses":{"200":{"d\#
        escription":"Health information","content":{"application/json":{"schema":{"type":"object","properties":{"healt\#
        hy":{"type":"boolean","enum":[true]},"version":{"type":"string"}},"required":["healthy","version"],"additional\#
        Properties":false}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/co\#
        mponents/schemas/BadRequestError"}}}}},"description":"Get health information about the OpenCode server.","summ\#
        ary":"Get health"}},"/mcp":{"get":{"tags":["mcp"],"operationId":"mcp.status","parameters":[{"name":"directory"\#
        ,"in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"\#
        string"},"required":false}],"responses":{"200":{"description":"MCP server status","content":{"application/json\#
        ":{"schema":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/MCPStatus"}}}}},"400":{"desc\#
        ription":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}\#
        }}}},"description":"Get the status of all Model Context Protocol (MCP) servers.","summary":"Get MCP status"}},\#
        "/path":{"get":{"tags":["instance"],"operationId":"path.get","parameters":[{"name":"directory","in":"query","s\#
        chema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"requir\#
        ed":false}],"responses":{"200":{"description":"Path","content":{"application/json":{"schema":{"$ref":"#/compon\#
        ents/schemas/Path"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/c\#
        omponents/schemas/BadRequestError"}}}}},"description":"Retrieve the current working directory and related path\#
         information for the OpenCode instance.","summary":"Get paths"}},"/permission":{"get":{"tags":["permission"],"\#
        operationId":"permission.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"requ\#
        ired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200"\#
        :{"description":"List of pending permissions","content":{"application/json":{"schema":{"type":"array","items":\#
        {"$ref":"#/components/schemas/PermissionRequest"}}}}},"400":{"description":"Bad request","content":{"applicati\#
        on/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Get all pending permissi\#
        on requests across all sessions.","summary":"List pending permissions"}},"/project":{"get":{"tags":["project"]\#
        ,"operationId":"project.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"requi\#
        red":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":\#
        {"description":"List of projects","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/c\#
        omponents/schemas/Project"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$\#
        ref":"#/components/schemas/BadRequestError"}}}}},"description":"Get a list of projects that have been opened w\#
        ith OpenCode.","summary":"List all projects"}},"/project/current":{"get":{"tags":["project"],"operationId":"pr\#
        oject.current","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"n\#
        ame":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":\#
        "Current project information","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Project"}}\#
        }},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Ba\#
        dRequestError"}}}}},"description":"Retrieve the currently active project that OpenCode is working with.","summ\#
        ary":"Get current project"}},"/provider":{"get":{"tags":["provider"],"operationId":"provider.list","parameters\#
        ":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"que\#
        ry","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of providers","conte\#
        nt":{"application/json":{"schema":{"type":"object","properties":{"all":{"type":"array","items":{"$ref":"#/comp\#
        onents/schemas/Provider"}},"default":{"type":"object","additionalProperties":{"type":"string"}},"connected":{"\#
        type":"array","items":{"type":"string"}}},"required":["all","default","connected"],"additionalProperties":fals\#
        e}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas\#
        /BadRequestError"}}}}},"description":"Get a list of all available AI providers, including both available and c\#
        onnected ones.","summary":"List providers"}},"/pty":{"get":{"tags":["pty"],"operationId":"pty.list","parameter\#
        s":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"qu\#
        ery","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of sessions","conte\#
        nt":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Pty"}}}}},"400":{"desc\#
        ription":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}\#
        }}}},"description":"Get a list of all active pseudo-terminal (PTY) sessions managed by OpenCode.","summary":"L\#
        ist PTY sessions"},"post":{"tags":["pty"],"operationId":"pty.create","parameters":[{"name":"directory","in":"q\#
        uery","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"}\#
        ,"required":false}],"responses":{"200":{"description":"Created session","content":{"application/json":{"schema\#
        ":{"$ref":"#/components/schemas/Pty"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"a\#
        pplication/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#\#
        /components/schemas/InvalidRequestError"}]}}}}},"description":"Create a new pseudo-terminal (PTY) session for \#
        running shell commands and processes.","summary":"Create PTY session","requestBody":{"content":{"application/j\#
        son":{"schema":{"type":"object","properties":{"command":{"type":"string"},"args":{"type":"array","items":{"typ\#
        e":"string"}},"cwd":{"type":"string"},"title":{"type":"string"},"env":{"type":"object","additionalProperties":\#
        {"type":"string"}}},"additionalProperties":false}}}}}},"/pty/{ptyID}/connect":{"get":{"tags":["pty"],"operatio\#
        nId":"pty.connect","parameters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern":"^pty"},"requ\#
        ired":true},{"in":"query","name":"directory","schema":{"type":"string"}},{"in":"query","name":"workspace","sch\#
        ema":{"type":"string"}},{"in":"query","name":"cursor","schema":{"type":"string"}},{"in":"query","name":"ticket\#
        ","schema":{"type":"string"}}],"responses":{"200":{"description":"Connected session","content":{"application/j\#
        son":{"schema":{"type":"boolean"}}}},"403":{"description":"Forbidden","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/effect_HttpApiError_Forbidden"}}}},"404":{"description":"Not found","content":{"\#
        application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Establish a WebSo\#
        cket connection to interact with a pseudo-terminal (PTY) session in real-time.","summary":"Connect to PTY sess\#
        ion"}},"/question":{"get":{"tags":["question"],"operationId":"question.list","parameters":[{"name":"directory"\#
        ,"in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"\#
        string"},"required":false}],"responses":{"200":{"description":"List of pending questions","content":{"applicat\#
        ion/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/QuestionRequest"}}}}},"400":{"descri\#
        ption":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}\#
        }},"description":"Get all pending question requests across all sessions.","summary":"List pending questions"}}\#
        ,"/session":{"get":{"tags":["session"],"operationId":"session.list","parameters":[{"name":"directory","in":"qu\#
        ery","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},\#
        "required":false},{"name":"scope","in":"query","schema":{"type":"string","enum":["project"]},"required":false}\#
        ,{"name":"path","in":"query","schema":{"type":"string"},"required":false},{"name":"roots","in":"query","schema\#
        ":{"anyOf":[{"type":"boolean"},{"type":"string","enum":["true","false"]}]},"required":false},{"name":"start","\#
        in":"query","schema":{"type":"number"},"required":false},{"name":"search","in":"query","schema":{"type":"strin\#
        g"},"required":false},{"name":"limit","in":"query","schema":{"type":"number"},"required":false}],"responses":{\#
        "200":{"description":"List of sessions","content":{"application/json":{"schema":{"type":"array","items":{"$ref\#
        ":"#/components/schemas/Session"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schem\#
        a":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Get a list of all OpenCode sessions, sor\#
        ted by most recently updated.","summary":"List sessions"},"post":{"tags":["session"],"operationId":"session.cr\#
        eate","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"wor\#
        kspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Successf\#
        ully created session","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400"\#
        :{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"\#
        #/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}}\#
        },"description":"Create a new OpenCode session for interacting with AI assistants and managing conversations."\#
        ,"summary":"Create session","requestBody":{"content":{"application/json":{"schema":{"type":"object","propertie\#
        s":{"parentID":{"type":"string","pattern":"^ses"},"title":{"type":"string"},"agent":{"type":"string"},"model":\#
        {"type":"object","properties":{"id":{"type":"string"},"providerID":{"type":"string"},"variant":{"type":"string\#
        "}},"required":["id","providerID"],"additionalProperties":false},"metadata":{"type":"object"},"permission":{"$\#
        ref":"#/components/schemas/PermissionRuleset"},"workspaceID":{"type":"string","pattern":"^wrk"}},"additionalPr\#
        operties":false}}}}}},"/session/status":{"get":{"tags":["session"],"operationId":"session.status","parameters"\#
        :[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"quer\#
        y","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Get session status","conte\#
        nt":{"application/json":{"schema":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Sessio\#
        nStatus"}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":\#
        {"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Invalid\#
        RequestError"}]}}}}},"description":"Retrieve the current status of all sessions, including active, idle, and c\#
        ompleted states.","summary":"Get session status"}},"/session/{sessionID}/children":{"get":{"tags":["session"],\#
        "operationId":"session.children","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","patt\#
        ern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"\#
        name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description"\#
        :"List of children","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/sche\#
        mas/Session"}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"sche\#
        ma":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Inv\#
        alidRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"\#
        #/components/schemas/NotFoundError"}}}}},"description":"Retrieve all child sessions that were forked from the \#
        specified parent session.","summary":"Get session children"}},"/session/{sessionID}/diff":{"get":{"tags":["ses\#
        sion"],"operationId":"session.diff","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","p\#
        attern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false}\#
        ,{"name":"workspace","in":"query","schema":{"type":"string"},"required":false},{"name":"messageID","in":"query\#
        ","schema":{"type":"string","pattern":"^msg"},"required":false}],"responses":{"200":{"description":"Successful\#
        ly retrieved diff","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schem\#
        as/SnapshotFileDiff"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"\#
        #/components/schemas/BadRequestError"}}}}},"description":"Get the file changes (diff) that resulted from a spe\#
        cific user message in the session.","summary":"Get message diff"}},"/session/{sessionID}/message":{"get":{"tag\#
        s":["session"],"operationId":"session.messages","parameters":[{"name":"sessionID","in":"path","schema":{"type"\#
        :"string","pattern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"requ\#
        ired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false},{"name":"limit","in\#
        ":"query","schema":{"type":"integer","minimum":0,"maximum":9007199254740991},"required":false},{"name":"before\#
        ","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of messag\#
        es","content":{"application/json":{"schema":{"type":"array","items":{"type":"object","properties":{"info":{"$r
        """#
}
