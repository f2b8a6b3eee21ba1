// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part2 = #"""
        ":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundErr\#
        or"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/componen\#
        ts/schemas/OutsideProject"}}}}},"description":"Get all pending question requests across all sessions.","summar\#
        y":"List pending questions"}},"/session":{"get":{"tags":["session"],"operationId":"session.list","parameters":\#
        [{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query\#
        ","schema":{"type":"string"},"required":false},{"name":"scope","in":"query","schema":{"type":"string","enum":[\#
        "project"]},"required":false},{"name":"path","in":"query","schema":{"type":"string"},"required":false},{"name"\#
        :"roots","in":"query","schema":{"anyOf":[{"type":"boolean"},{"type":"string","enum":["true","false"]}]},"requi\#
        red":false},{"name":"start","in":"query","schema":{"type":"number"},"required":false},{"name":"search","in":"q\#
        uery","schema":{"type":"string"},"required":false},{"name":"limit","in":"query","schema":{"type":"integer","mi\#
        nimum":0,"maximum":9007199254740991},"required":false}],"responses":{"200":{"description":"List of sessions","\#
        content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Session"}}}}},"40\#
        0":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadReque\#
        stError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/sc\#
        hemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"\#
        $ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all OpenCode sessions, sorted by\#
         most recently updated.","summary":"List sessions"},"post":{"tags":["session"],"operationId":"session.create",\#
        "parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace\#
        ","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Successfully c\#
        reated session","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"des\#
        cription":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/comp\#
        onents/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#\#
        /components/schemas/BadRequestError"}]}}}},"404":{"description":"Not found","content":{"application/json":{"sc\#
        hema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"\#
        application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}},"501":{"description":"OpenCode 2\#
         has nothing for it","content":{"application/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}}},\#
        "description":"Create a new OpenCode session for interacting with AI assistants and managing conversations.","\#
        summary":"Create session","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties"\#
        :{"parentID":{"type":"string","pattern":"^ses"},"title":{"type":"string"},"agent":{"type":"string"},"model":{"\#
        type":"object","properties":{"id":{"type":"string"},"providerID":{"type":"string"},"variant":{"type":"string"}\#
        },"required":["id","providerID"],"additionalProperties":false},"metadata":{"type":"object"},"permission":{"$re\#
        f":"#/components/schemas/PermissionRuleset"},"workspaceID":{"type":"string","pattern":"^wrk"}}}}}}}},"/session\#
        /status":{"get":{"tags":["session"],"operationId":"session.status","parameters":[{"name":"directory","in":"que\#
        ry","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"\#
        required":false}],"responses":{"200":{"description":"Get session status","content":{"application/json":{"schem\#
        a":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/SessionStatus"}}}}},"400":{"descripti\#
        on":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components\#
        /schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/compo\#
        nents/schemas/BadRequestError"}]}}}},"404":{"description":"Not found","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"applic\#
        ation/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve the current s\#
        tatus of all sessions, including active, idle, and completed states.","summary":"Get session status"}},"/sessi\#
        on/{sessionID}/children":{"get":{"tags":["session"],"operationId":"session.children","parameters":[{"name":"se\#
        ssionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":tru\#
        e},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"que\#
        ry","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of children","conten\#
        t":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Session"}}}}},"400":{"d\#
        escription":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/co\#
        mponents/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":\#
        "#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json\#
        ":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","conte\#
        nt":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve a\#
        ll child sessions that were forked from the specified parent session.","summary":"Get session children"}},"/se\#
        ssion/{sessionID}/diff":{"get":{"tags":["session"],"operationId":"session.diff","parameters":[{"name":"session\#
        ID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"\#
        name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","\#
        schema":{"type":"string"},"required":false},{"name":"messageID","in":"query","schema":{"type":"string","patter\#
        n":"^msg"},"required":false}],"responses":{"200":{"description":"Successfully retrieved diff","content":{"appl\#
        ication/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/SnapshotFileDiff"}}}}},"400":{"d\#
        escription":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestErro\#
        r"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/\#
        NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":\#
        "#/components/schemas/OutsideProject"}}}}},"description":"Get the file changes (diff) that resulted from a spe\#
        cific user message in the session.","summary":"Get message diff"}},"/session/{sessionID}/message":{"get":{"tag\#
        s":["session"],"operationId":"session.messages","parameters":[{"name":"sessionID","in":"path","schema":{"type"\#
        :"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","\#
        schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"requi\#
        red":false},{"name":"limit","in":"query","schema":{"type":"integer","minimum":0,"maximum":9007199254740991},"r\#
        equired":false},{"name":"before","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200"\#
        :{"description":"List of messages","content":{"application/json":{"schema":{"type":"array","items":{"type":"ob\#
        ject","properties":{"info":{"$ref":"#/components/schemas/Message"},"parts":{"type":"array","items":{"$ref":"#/\#
        components/schemas/Part"}}},"required":["info","parts"],"additionalProperties":false}}}}},"400":{"description"\#
        :"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/sc\#
        hemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/componen\#
        ts/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema"\#
        :{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"appli\#
        cation/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve all messages\#
         in a session, including user prompts and AI responses.","summary":"Get session messages"},"post":{"tags":["se\#
        ssion"],"operationId":"session.prompt","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string"\#
        ,"pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{\#
        "type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":fals\#
        e}],"responses":{"200":{"description":"Created message","content":{"application/json":{"schema":{"type":"objec\#
        t","required":["info","parts"],"properties":{"info":{"$ref":"#/components/schemas/AssistantMessage"},"parts":{\#
        "type":"array","items":{"$ref":"#/components/schemas/Part"}}}}}}},"400":{"description":"BadRequest | InvalidRe\#
        questError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiErro\#
        r_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestErr\#
        or"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/s\#
        chemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{\#
        "anyOf":[{"$ref":"#/components/schemas/OutsideProject"},{"$ref":"#/components/schemas/UnknownError"}]}}}},"501\#
        ":{"description":"OpenCode 2 has nothing for it","content":{"application/json":{"schema":{"$ref":"#/components\#
        /schemas/UnknownError"}}}},"500":{"description":"The turn gave no answer","content":{"application/json":{"sche\#
        ma":{"$ref":"#/components/schemas/UnknownError"}}}}},"description":"Create and send a new message to a session\#
        , streaming the AI response.","summary":"Send message","requestBody":{"content":{"application/json":{"schema":\#
        {"type":"object","properties":{"messageID":{"type":"string","pattern":"^msg"},"model":{"type":"object","proper\#
        ties":{"providerID":{"type":"string"},"modelID":{"type":"string"}},"required":["providerID","modelID"],"additi\#
        onalProperties":false},"agent":{"type":"string"},"noReply":{"type":"boolean"},"tools":{"type":"object","additi\#
        onalProperties":{"type":"boolean"}},"format":{"$ref":"#/components/schemas/OutputFormat"},"system":{"type":"st\#
        ring"},"variant":{"type":"string"},"parts":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/Tex\#
        tPartInput"},{"$ref":"#/components/schemas/FilePartInput"},{"$ref":"#/components/schemas/AgentPartInput"},{"$r\#
        ef":"#/components/schemas/SubtaskPartInput"}]}}},"required":["parts"]}}},"required":true}}},"/session/{session\#
        ID}/message/{messageID}":{"get":{"tags":["session"],"operationId":"session.message","parameters":[{"name":"ses\#
        sionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true\#
        },{"name":"messageID","in":"path","schema":{"type":"string","pattern":"^msg[A-Za-z0-9_-]*$","maxLength":128},"\#
        required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspa\#
        ce","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Message","co\#
        ntent":{"application/json":{"schema":{"type":"object","properties":{"info":{"$ref":"#/components/schemas/Messa\#
        ge"},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Part"}}},"required":["info","parts"],"addit\#
        ionalProperties":false}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/jso\#
        n":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/sc\#
        hemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoun\#
        dError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descr\#
        iption":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsidePro\#
        ject"}}}}},"description":"Retrieve a specific message from a session by its message ID.","summary":"Get messag\#
        e"}},"/session/{sessionID}/todo":{"get":{"tags":["session"],"operationId":"session.todo","parameters":[{"name"\#
        :"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required"\#
        :true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":\#
        "query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Todo list","content":\#
        {"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Todo"}}}}},"400":{"descrip\#
        tion":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/componen\#
        ts/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/com\#
        ponents/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"sc\#
        hema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"\#
        application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve the tod\#
        o list associated with a specific session, showing tasks and action items.","summary":"Get session todos"}},"/\#
        skill":{"get":{"tags":["instance"],"operationId":"app.skills","parameters":[{"name":"directory","in":"query","\#
        schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"requi\#
        red":false}],"responses":{"200":{"description":"List of skills","content":{"application/json":{"schema":{"type\#
        ":"array","items":{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"},"loc\#
        ation":{"type":"string"},"content":{"type":"string"}},"required":["name","location","content"],"additionalProp\#
        erties":false}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/compo\#
        nents/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"\#
        $ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"applicat\#
        ion/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all availa\#
        ble skills in the OpenCode system.","summary":"List skills"}},"/vcs":{"get":{"tags":["instance"],"operationId"\#
        :"vcs.get","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name"\#
        :"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"VCS\#
         info","content":{"application/json":{"schema":{"$ref":"#/components/schemas/VcsInfo"}}}},"400":{"description"\#
        :"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404\#
        ":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundErr\#
        or"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/componen\#
        ts/schemas/OutsideProject"}}}}},"description":"Retrieve version control system (VCS) information for the curre\#
        nt project, such as git branch.","summary":"Get VCS info"}},"/instance/dispose":{"post":{"tags":["instance"],"\#
        operationId":"instance.dispose","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"req\#
        uired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200\#
        ":{"description":"Instance disposed","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"des\#
        cription":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"\#
        }}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/No\#
        tFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#\#
        /components/schemas/OutsideProject"}}}}},"description":"Clean up and dispose the current OpenCode instance, re\#
        leasing all resources.","summary":"Dispose instance"}},"/log":{"post":{"tags":["control"],"operationId":"app.l\#
        og","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"works\#
        pace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Log entry \#
        written successfully","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadR\#
        equest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/\#
        effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/sch\#
        emas/BadRequestError"}]}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"\#
        #/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/jso\#
        n":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Write a log entry to the server\#
         logs with specified level and metadata.","summary":"Write log","requestBody":{"content":{"application/json":{\#
        "schema":{"type":"object","properties":{"service":{"type":"string"},"level":{"type":"string","enum":["debug","\#
        info","error","warn"]},"message":{"type":"string"},"extra":{"type":"object"}},"required":["service","level","m\#
        essage"]}}},"required":true}}},"/permission/{requestID}/reply":{"post":{"tags":["permission"],"operationId":"p\#
        ermission.reply","parameters":[{"name":"requestID","in":"path","schema":{"type":"string","pattern":"^per[A-Za-\#
        z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"requ\#
        ired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200"\#
        :{"description":"Permission processed successfully","content":{"application/json":{"schema":{"type":"boolean"}\#
        }}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[\#
        {"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestErr\#
        or"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"PermissionNotFoundError","cont\#
        ent":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/PermissionNotFoundError"},{"$ref":"\#
        #/components/schemas/NotFoundError"}]}}}},"403":{"description":"Outside the project","content":{"application/j\#
        son":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Approve or deny a permission \#
        request from the AI assistant.","summary":"Respond to permission request","requestBody":{"content":{"applicati\#
        on/json":{"schema":{"type":"object","properties":{"reply":{"type":"string","enum":["once","always","reject"]},\#
        "message":{"type":"string"}},"required":["reply"]}}},"required":true}}},"/pty/{ptyID}/connect-token":{"post":{\#
        "tags":["pty"],"operationId":"pty.connectToken","parameters":[{"name":"ptyID","in":"path","schema":{"type":"st\#
        ring","pattern":"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","sche\#
        ma":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required"\#
        :false}],"responses":{"200":{"description":"WebSocket connect token","content":{"application/json":{"schema":{\#
        "$ref":"#/components/schemas/PtyTicketConnectToken"}}}},"400":{"description":"Bad request","content":{"applica\#
        tion/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"403":{"description":"PtyForbiddenErro\#
        r","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/PtyForbiddenError"},{"$ref"\#
        :"#/components/schemas/OutsideProject"}]}}}},"404":{"description":"PtyNotFoundError","content":{"application/j\#
        son":{"schema":{"anyOf":[{"$ref":"#/components/schemas/PtyNotFoundError"},{"$ref":"#/components/schemas/NotFou\#
        ndError"}]}}}}},"description":"Create a short-lived ticket for opening a PTY WebSocket connection.","summary":\#
        "Create PTY WebSocket token"}},"/question/{requestID}/reject":{"post":{"tags":["question"],"operationId":"ques\#
        tion.reject","parameters":[{"name":"requestID","in":"path","schema":{"type":"string","pattern":"^que[A-Za-z0-9\#
        _-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required\#
        ":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"d\#
        escription":"Question rejected successfully","content":{"application/json":{"schema":{"type":"boolean"}}}},"40\#
        0":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref"\#
        :"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"\#
        $ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"QuestionNotFoundError","content":{"ap\#
        plication/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/QuestionNotFoundError"},{"$ref":"#/component\#
        s/schemas/NotFoundError"}]}}}},"403":{"description":"Outside the project","content":{"application/json":{"sche\#
        ma":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Reject a question request from the AI as\#
        sistant.","summary":"Reject question request"}},"/question/{requestID}/reply":{"post":{"tags":["question"],"op\#
        erationId":"question.reply","parameters":[{"name":"requestID","in":"path","schema":{"type":"string","pattern":\#
        "^que[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"str\#
        ing"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"respon\#
        ses":{"200":{"description":"Question answered successfully","content":{"application/json":{"schema":{"type":"b\#
        oolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"\#
        anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRe\#
        questError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"QuestionNotFoundError"\#
        ,"content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/QuestionNotFoundError"},{"$re\#
        f":"#/components/schemas/NotFoundError"}]}}}},"403":{"description":"Outside the project","content":{"applicati\#
        on/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Provide answers to a ques\#
        tion request from the AI assistant.","summary":"Reply to question request","requestBody":{"content":{"applicat\#
        ion/json":{"schema":{"type":"object","properties":{"answers":{"type":"array","items":{"$ref":"#/components/sch\#
        emas/QuestionAnswer"}}},"required":["answers"]}}},"required":true}}},"/session/{sessionID}/abort":{"post":{"ta\#
        gs":["session"],"operationId":"session.abort","parameters":[{"name":"sessionID","in":"path","schema":{"type":"\#
        string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","sc\#
        hema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"require\#
        d":false}],"responses":{"200":{"description":"Aborted session","content":{"application/json":{"schema":{"type"\#
        :"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema"\#
        :{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Invali\#
        dRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"Not found","content\#
        ":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside\#
         the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"desc\#
        ription":"Abort an active session and stop any ongoing AI processing or command execution.","summary":"Abort s\#
        ession"}},"/session/{sessionID}/command":{"post":{"tags":["session"],"operationId":"session.command","paramete\#
        rs":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128\#
        },"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"work\#
        space","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Created m\#
        essage","content":{"application/json":{"schema":{"type":"object","required":["info","parts"],"properties":{"in\#
        fo":{"$ref":"#/components/schemas/AssistantMessage"},"parts":{"type":"array","items":{"$ref":"#/components/sch\#
        emas/Part"}}}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"sche\#
        ma":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Inv\#
        alidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","\#
        content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"\#
        Outside the project","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/OutsidePr\#
        oject"},{"$ref":"#/components/schemas/UnknownError"}]}}}}},"description":"Send a new command to a session for \#
        execution by the AI assistant.","summary":"Send command","requestBody":{"content":{"application/json":{"schema\#
        ":{"type":"object","properties":{"messageID":{"type":"string","pattern":"^msg"},"agent":{"type":"string"},"mod\#
        el":{"type":"string"},"arguments":{"type":"string"},"command":{"type":"string"},"variant":{"type":"string"},"p\#
        arts":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string","pattern":"^prt"},"type":{"\#
        type":"string","enum":["file"]},"mime":{"type":"string"},"filename":{"type":"string"},"url":{"type":"string"},\#
        "source":{"$ref":"#/components/schemas/FilePartSource"}},"required":["type","mime","url"],"additionalPropertie\#
        s":false}}},"required":["arguments","command"]}}},"required":true}}},"/session/{sessionID}/fork":{"post":{"tag\#
        s":["session"],"operationId":"session.fork","parameters":[{"name":"sessionID","in":"path","schema":{"type":"st
        """#
}
