// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part1 = #"""
        {"openapi":"3.1.0","info":{"title":"opencode","version":"1.18.33"},"paths":{"/pty/{ptyID}":{"delete":{"tags":[\#
        "pty"],"operationId":"pty.remove","parameters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern\#
        ":"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"s\#
        tring"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"resp\#
        onses":{"200":{"description":"Session removed","content":{"application/json":{"schema":{"type":"boolean"}}}},"\#
        400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadReq\#
        uestError"}}}},"404":{"description":"PtyNotFoundError","content":{"application/json":{"schema":{"anyOf":[{"$re\#
        f":"#/components/schemas/PtyNotFoundError"},{"$ref":"#/components/schemas/NotFoundError"}]}}}},"403":{"descrip\#
        tion":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProje\#
        ct"}}}}},"description":"Remove and terminate a specific pseudo-terminal (PTY) session.","summary":"Remove PTY \#
        session"},"get":{"tags":["pty"],"operationId":"pty.get","parameters":[{"name":"ptyID","in":"path","schema":{"t\#
        ype":"string","pattern":"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"quer\#
        y","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"r\#
        equired":false}],"responses":{"200":{"description":"Session info","content":{"application/json":{"schema":{"$r\#
        ef":"#/components/schemas/Pty"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"PtyNotFoundError","content":{"applica\#
        tion/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/PtyNotFoundError"},{"$ref":"#/components/schemas/\#
        NotFoundError"}]}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref\#
        ":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve detailed information about a specific pse\#
        udo-terminal (PTY) session.","summary":"Get PTY session"},"put":{"tags":["pty"],"operationId":"pty.update","pa\#
        rameters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern":"^pty[A-Za-z0-9_-]*$","maxLength":1\#
        28},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"wo\#
        rkspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Updated\#
         session","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pty"}}}},"400":{"description":\#
        "BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/sch\#
        emas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/component\#
        s/schemas/BadRequestError"}]}}}},"404":{"description":"PtyNotFoundError","content":{"application/json":{"schem\#
        a":{"anyOf":[{"$ref":"#/components/schemas/PtyNotFoundError"},{"$ref":"#/components/schemas/NotFoundError"}]}}\#
        }},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/sc\#
        hemas/OutsideProject"}}}}},"description":"Update properties of an existing pseudo-terminal (PTY) session.","su\#
        mmary":"Update PTY session","requestBody":{"content":{"application/json":{"schema":{"type":"object","propertie\#
        s":{"title":{"type":"string"},"size":{"type":"object","properties":{"rows":{"type":"integer","exclusiveMinimum\#
        ":0},"cols":{"type":"integer","exclusiveMinimum":0}},"required":["rows","cols"],"additionalProperties":false}}\#
        }}}}}},"/session/{sessionID}":{"delete":{"tags":["session"],"operationId":"session.delete","parameters":[{"nam\#
        e":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"require\#
        d":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in\#
        ":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Successfully delete\#
        d session","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | In\#
        validRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_Http\#
        ApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadReq\#
        uestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/compo\#
        nents/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"sc\#
        hema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Delete a session and permanently remov\#
        e all associated data, including messages and history.","summary":"Delete session"},"get":{"tags":["session"],\#
        "operationId":"session.get","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":\#
        "^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"str\#
        ing"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"respon\#
        ses":{"200":{"description":"Get session","content":{"application/json":{"schema":{"$ref":"#/components/schemas\#
        /Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":\#
        {"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Invalid\#
        RequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","cont\#
        ent":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outs\#
        ide the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"d\#
        escription":"Retrieve detailed information about a specific OpenCode session.","summary":"Get session"},"patch\#
        ":{"tags":["session"],"operationId":"session.update","parameters":[{"name":"sessionID","in":"path","schema":{"\#
        type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"que\#
        ry","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"\#
        required":false}],"responses":{"200":{"description":"Successfully updated session","content":{"application/jso\#
        n":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError\#
        ","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadReque\#
        st"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},\#
        "404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Not\#
        FoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/\#
        components/schemas/OutsideProject"}}}},"501":{"description":"OpenCode 2 has nothing for it","content":{"applic\#
        ation/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}}},"description":"Update properties of an \#
        existing session, such as title or other metadata.","summary":"Update session","requestBody":{"content":{"appl\#
        ication/json":{"schema":{"type":"object","properties":{"title":{"type":"string"},"metadata":{"type":"object"},\#
        "permission":{"$ref":"#/components/schemas/PermissionRuleset"},"time":{"type":"object","properties":{"archived\#
        ":{"type":"number"}},"additionalProperties":false}}}}}}}},"/agent":{"get":{"tags":["instance"],"operationId":"\#
        app.agents","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name\#
        ":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Li\#
        st of agents","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Ag\#
        ent"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/sch\#
        emas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/\#
        components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json"\#
        :{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all available AI ag\#
        ents in the OpenCode system.","summary":"List agents"}},"/command":{"get":{"tags":["instance"],"operationId":"\#
        command.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"na\#
        me":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"\#
        List of commands","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schema\#
        s/Command"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/componen\#
        ts/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$re\#
        f":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application\#
        /json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all available\#
         commands in the OpenCode system.","summary":"List commands"}},"/config":{"get":{"tags":["config"],"operationI\#
        d":"config.get","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"\#
        name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description"\#
        :"Get config info","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Config"}}}},"400":{"d\#
        escription":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestErro\#
        r"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/\#
        NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":\#
        "#/components/schemas/OutsideProject"}}}}},"description":"Retrieve the current OpenCode configuration settings\#
         and preferences.","summary":"Get configuration"}},"/config/providers":{"get":{"tags":["config"],"operationId"\#
        :"config.providers","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false\#
        },{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"descript\#
        ion":"List of providers","content":{"application/json":{"schema":{"type":"object","properties":{"providers":{"\#
        type":"array","items":{"$ref":"#/components/schemas/Provider"}},"default":{"type":"object","additionalProperti\#
        es":{"type":"string"}}},"required":["providers","default"],"additionalProperties":false}}}},"400":{"descriptio\#
        n":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"4\#
        04":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundE\#
        rror"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/compon\#
        ents/schemas/OutsideProject"}}}}},"description":"Get a list of all configured AI providers and their default m\#
        odels.","summary":"List config providers"}},"/event":{"get":{"tags":["event"],"operationId":"event.subscribe",\#
        "parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace\#
        ","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Event stream",\#
        "content":{"text/event-stream":{"schema":{"$ref":"#/components/schemas/Event"}}}},"404":{"description":"Not fo\#
        und","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descript\#
        ion":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProjec\#
        t"}}}}},"description":"Get events","summary":"Subscribe to events"}},"/file":{"get":{"tags":["file"],"operatio\#
        nId":"file.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{\#
        "name":"workspace","in":"query","schema":{"type":"string"},"required":false},{"name":"path","in":"query","sche\#
        ma":{"type":"string"},"required":true}],"responses":{"200":{"description":"Files and directories","content":{"\#
        application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/FileNode"}}}}},"400":{"descr\#
        iption":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}\#
        }},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotF\#
        oundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/c\#
        omponents/schemas/OutsideProject"}}}}},"description":"List files and directories in a specified path.","summar\#
        y":"List files"}},"/file/content":{"get":{"tags":["file"],"operationId":"file.read","parameters":[{"name":"dir\#
        ectory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"\#
        type":"string"},"required":false},{"name":"path","in":"query","schema":{"type":"string"},"required":true}],"re\#
        sponses":{"200":{"description":"File content","content":{"application/json":{"schema":{"$ref":"#/components/sc\#
        hemas/FileContent"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/c\#
        omponents/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema\#
        ":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"appl\#
        ication/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Read the content of \#
        a specified file.","summary":"Read file"}},"/file/status":{"get":{"tags":["file"],"operationId":"file.status",\#
        "parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace\#
        ","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"File status","\#
        content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/File"}}}}},"400":\#
        {"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestE\#
        rror"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schem\#
        as/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$re\#
        f":"#/components/schemas/OutsideProject"}}}}},"description":"Get the git status of all files in the project.",\#
        "summary":"Get file status"}},"/find/file":{"get":{"tags":["file"],"operationId":"find.files","parameters":[{"\#
        name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","\#
        schema":{"type":"string"},"required":false},{"name":"query","in":"query","schema":{"type":"string"},"required"\#
        :true},{"name":"dirs","in":"query","schema":{"type":"string","enum":["true","false"]},"required":false},{"name\#
        ":"type","in":"query","schema":{"type":"string","enum":["file","directory"]},"required":false},{"name":"limit"\#
        ,"in":"query","schema":{"type":"integer","minimum":1,"maximum":200},"required":false}],"responses":{"200":{"de\#
        scription":"File paths","content":{"application/json":{"schema":{"type":"array","items":{"type":"string"}}}}},\#
        "400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRe\#
        questError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components\#
        /schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema"\#
        :{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Search for files or directories by name or \#
        pattern in the project directory.","summary":"Find files"}},"/global/event":{"get":{"tags":["global"],"operati\#
        onId":"global.event","parameters":[],"responses":{"200":{"description":"Event stream","content":{"text/event-s\#
        tream":{"schema":{"$ref":"#/components/schemas/GlobalEvent"}}}},"400":{"description":"Bad request","content":{\#
        "application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Subscribe to g\#
        lobal events from the OpenCode system using server-sent events.","summary":"Get global events"}},"/global/heal\#
        th":{"get":{"tags":["global"],"operationId":"global.health","parameters":[],"responses":{"200":{"description":\#
        "Health information","content":{"application/json":{"schema":{"type":"object","properties":{"healthy":{"type":\#
        "boolean","enum":[true]},"version":{"type":"string"}},"required":["healthy","version"],"additionalProperties":\#
        false}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/sch\#
        emas/BadRequestError"}}}}},"description":"Get health information about the OpenCode server.","summary":"Get he\#
        alth"}},"/mcp":{"get":{"tags":["mcp"],"operationId":"mcp.status","parameters":[{"name":"directory","in":"query\#
        ","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"re\#
        quired":false}],"responses":{"200":{"description":"MCP server status","content":{"application/json":{"schema":\#
        {"type":"object","additionalProperties":{"$ref":"#/components/schemas/MCPStatus"}}}}},"400":{"description":"Ba\#
        d request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"\#
        description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}\#
        }}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/s\#
        chemas/OutsideProject"}}}}},"description":"Get the status of all Model Context Protocol (MCP) servers.","summa\#
        ry":"Get MCP status"}},"/path":{"get":{"tags":["instance"],"operationId":"path.get","parameters":[{"name":"dir\#
        ectory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"\#
        type":"string"},"required":false}],"responses":{"200":{"description":"Path","content":{"application/json":{"sc\#
        hema":{"$ref":"#/components/schemas/Path"}}}},"400":{"description":"Bad request","content":{"application/json"\#
        :{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"app\#
        lication/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the pr\#
        oject","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description\#
        ":"Retrieve the current working directory and related path information for the OpenCode instance.","summary":"\#
        Get paths"}},"/permission":{"get":{"tags":["permission"],"operationId":"permission.list","parameters":[{"name"\#
        :"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schem\#
        a":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of pending permissions","conte\#
        nt":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/PermissionRequest"}}}}\#
        },"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Bad\#
        RequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/componen\#
        ts/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schem\#
        a":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get all pending permission requests acros\#
        s all sessions.","summary":"List pending permissions"}},"/project":{"get":{"tags":["project"],"operationId":"p\#
        roject.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"nam\#
        e":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"L\#
        ist of projects","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas\#
        /Project"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/component\#
        s/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref\#
        ":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/\#
        json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of projects that \#
        have been opened with OpenCode.","summary":"List all projects"}},"/project/current":{"get":{"tags":["project"]\#
        ,"operationId":"project.current","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"re\#
        quired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"20\#
        0":{"description":"Current project information","content":{"application/json":{"schema":{"$ref":"#/components/\#
        schemas/Project"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/com\#
        ponents/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"applic\#
        ation/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve the currently\#
         active project that OpenCode is working with.","summary":"Get current project"}},"/provider":{"get":{"tags":[\#
        "provider"],"operationId":"provider.list","parameters":[{"name":"directory","in":"query","schema":{"type":"str\#
        ing"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"respon\#
        ses":{"200":{"description":"List of providers","content":{"application/json":{"schema":{"type":"object","prope\#
        rties":{"all":{"type":"array","items":{"$ref":"#/components/schemas/Provider"}},"default":{"type":"object","ad\#
        ditionalProperties":{"type":"string"}},"connected":{"type":"array","items":{"type":"string"}}},"required":["al\#
        l","default","connected"],"additionalProperties":false}}}},"400":{"description":"Bad request","content":{"appl\#
        ication/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","c\#
        ontent":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"O\#
        utside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}}\#
        ,"description":"Get a list of all available AI providers, including both available and connected ones.","summa\#
        ry":"List providers"}},"/pty":{"get":{"tags":["pty"],"operationId":"pty.list","parameters":[{"name":"directory\#
        ","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":\#
        "string"},"required":false}],"responses":{"200":{"description":"List of sessions","content":{"application/json\#
        ":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Pty"}}}}},"400":{"description":"Bad request"\#
        ,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"descriptio\#
        n":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":\#
        {"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Out\#
        sideProject"}}}}},"description":"Get a list of all active pseudo-terminal (PTY) sessions managed by OpenCode."\#
        ,"summary":"List PTY sessions"},"post":{"tags":["pty"],"operationId":"pty.create","parameters":[{"name":"direc\#
        tory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"ty\#
        pe":"string"},"required":false}],"responses":{"200":{"description":"Created session","content":{"application/j\#
        son":{"schema":{"$ref":"#/components/schemas/Pty"}}}},"400":{"description":"BadRequest | InvalidRequestError",\#
        "content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest\#
        "},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"4\#
        04":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundE\#
        rror"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"anyOf":[{"$ref"\#
        :"#/components/schemas/OutsideProject"},{"$ref":"#/components/schemas/UnknownError"}]}}}}},"description":"Crea\#
        te a new pseudo-terminal (PTY) session for running shell commands and processes.","summary":"Create PTY sessio\#
        n","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"command":{"type":"st\#
        ring"},"args":{"type":"array","items":{"type":"string"}},"cwd":{"type":"string"},"title":{"type":"string"},"en\#
        v":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}},"/pty/{ptyID}/connect":{"get":{"tags":["p\#
        ty"],"operationId":"pty.connect","parameters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern"\#
        :"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"in":"query","name":"directory","schema":{"type":"st\#
        ring"}},{"in":"query","name":"workspace","schema":{"type":"string"}},{"in":"query","name":"cursor","schema":{"\#
        type":"string"}},{"in":"query","name":"ticket","schema":{"type":"string"}}],"responses":{"200":{"description":\#
        "Connected session","content":{"application/json":{"schema":{"type":"boolean"}}}},"403":{"description":"Forbid\#
        den","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_Forbi\#
        dden"},{"$ref":"#/components/schemas/OutsideProject"}]}}}},"404":{"description":"Not found","content":{"applic\#
        ation/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Establish a WebSocket c\#
        onnection to interact with a pseudo-terminal (PTY) session in real-time.","summary":"Connect to PTY session"}}\#
        ,"/question":{"get":{"tags":["question"],"operationId":"question.list","parameters":[{"name":"directory","in":\#
        "query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string\#
        "},"required":false}],"responses":{"200":{"description":"List of pending questions","content":{"application/js\#
        on":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/QuestionRequest"}}}}},"400":{"description"\#
        :"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404
        """#
}
